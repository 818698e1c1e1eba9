/** Everything that people handed over in a history, and whether anybody may still look for it (law 3). */
import type { OutboxRow } from '../../app/own/port.ts';
import type { SimDevice } from './device.ts';
import type { SimTab } from './tab.ts';
import type { World } from './world.ts';

export interface Authored {
  words: string;
  device: SimDevice;
  tab: SimTab;
  sessionId: string;
  inputId: string;
  kind: 'prompt' | 'edit';
  /** When, by a clock that is right. */
  at: number;
  /** Why nobody has to find it any more; null: it must be somewhere. */
  excused: string | null;
}

export function textsOf(row: OutboxRow): string[] {
  const { command } = row;
  const texts: string[] = [];
  const add = (content: readonly { type: string; text?: string }[] | undefined): void => {
    if (content !== undefined) texts.push(content.map(({ text }) => text ?? '').join(''));
  };
  if (command.kind === 'input') add(command.content);
  if (command.kind === 'edit') add(command.content);
  if (command.kind === 'cancel') add(command.kept?.content);
  return texts;
}

export class Words {
  readonly all: Authored[] = [];
  readonly #world: World;
  #n = 0;
  constructor(world: World) {
    this.#world = world;
  }
  /** Words that nobody ever wrote before. */
  fresh(): string {
    return `w${++this.#n}`;
  }
  handedOver(authored: Omit<Authored, 'excused' | 'at'>): void {
    const gone = this.#world.deleted.has(authored.sessionId)
      ? 'its session was deleted'
      : authored.device.leaving
        ? 'its device is signed out'
        : null;
    this.all.push({ ...authored, at: this.#world.clock.now(), excused: gone });
  }
  excuse(which: (authored: Authored) => boolean, why: string): void {
    for (const one of this.all) if (one.excused === null && which(one)) one.excused = why;
  }

  /** Law 3. */
  async look(): Promise<void> {
    const world = this.#world;
    const open = this.all.filter(({ excused }) => excused === null);
    if (open.length === 0) return;
    const byDevice = new Map<SimDevice, Set<string>>();
    for (const device of world.devices) {
      const rows = await device.disk.own.rows();
      const texts = new Set(rows.flatMap(textsOf));
      for (const tab of device.tabs) if (tab.ownLost) for (const row of tab.engine.rows()) for (const text of textsOf(row)) texts.add(text);
      byDevice.set(device, texts);
    }
    for (const one of open) {
      if (byDevice.get(one.device)!.has(one.words)) continue;
      const receipt = world.oracle.now.inputs.get(one.inputId);
      const said = world.oracle.saidOf.get(one.inputId);
      if (receipt !== undefined) {
        const nowSays = receipt.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
        if (receipt.state !== 'cancelled' && nowSays === one.words) continue;
        // Others changed it after the server had it.
        if (receipt.state !== 'cancelled' && said?.has(one.words)) continue;
      }
      if (
        [...world.oracle.now.inputs.values()].some(
          ({ state, content }) => state !== 'cancelled' && content.some((part) => part.type === 'text' && part.text === one.words),
        )
      )
        continue;
      world.fault(
        'law-03',
        `${one.words}, handed over in ${one.tab.name} for ${one.sessionId} as ${one.kind} of ${one.inputId}, is nowhere: the server says ${receipt?.state ?? 'nothing'} of it`,
      );
      return;
    }
  }
}
