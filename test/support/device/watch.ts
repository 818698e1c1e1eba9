/** What must hold at every single change of the screen: the window's bound and that it is one stretch of the log (laws 9 and 10). */
import { expect } from 'vitest';
import { isReactive } from 'vue';
import { isShown, type ChunkRecord } from '#shared/protocol/records.ts';
import type { TranscriptView } from '../../../app/sync/ports.ts';
import type { HttpStand } from '../http-stand.ts';
import type { Tab } from './device.ts';

export class Watch {
  /** Most chunks that counted towards the limit at once. */
  most = 0;
  changes = 0;
  readonly #faults: string[] = [];
  readonly #windows = new Set<readonly ChunkRecord[]>();

  constructor(tab: Tab) {
    tab.screen.check = (view) => this.#look(view, tab.engine.chunkLimit());
  }
  #look(view: TranscriptView, limit: number): void {
    this.changes++;
    const live = view.live?.chunks ?? [];
    const counted = view.chunks.length + live.filter(({ open }) => !open).length;
    this.most = Math.max(this.most, counted);
    if (counted > limit)
      this.#faults.push(`${view.chunks.length} sealed and ${live.length} live chunks, ${counted} counted, over ${limit}`);
    if (!view.atEnd && live.length > 0) this.#faults.push('live chunks are held while the window ends above them');
    const sealed = new Set(view.chunks.map(({ id }) => id));
    for (const { id } of live) if (sealed.has(id)) this.#faults.push(`${id} is both sealed and live`);
    if (view.oldestLoadedSeq !== (view.chunks[0]?.seq ?? null) || view.newestLoadedSeq !== (view.chunks.at(-1)?.seq ?? null)) {
      this.#faults.push('the ends that are told are not those of the window');
    }
    const { target } = view;
    if (target !== null && target.nonce > this.#nonce) {
      this.#nonce = target.nonce;
      if (!sealed.has(target.chunkId)) this.#faults.push(`the target ${target.seq} is not in the window`);
    }
    this.#windows.add(view.chunks);
  }
  #nonce = 0;

  /** Every window that was ever on the screen, against the log as it now is: no hole, no repeat, in order; and nothing else was wrong. */
  async verify(stand: HttpStand, sessionId: string): Promise<void> {
    const log = (await stand.logOf(sessionId)).filter((record) => record.kind === 'chunk' && isShown(record));
    const at = new Map(log.map(({ id }, place) => [id, place]));
    for (const chunks of this.#windows) {
      const first = chunks[0] === undefined ? 0 : (at.get(chunks[0].id) ?? -1);
      const stretch = log.slice(first, first + chunks.length);
      const same =
        stretch.length === chunks.length &&
        chunks.every((chunk, place) => chunk.id === stretch[place]!.id && chunk.seq === stretch[place]!.seq);
      if (!same) this.#faults.push(`no stretch of the log: ${chunks.map(({ seq }) => seq).join(' ')}`);
    }
    expect(this.#faults).toEqual([]);
  }
}

/** Whether anything in `value`, at any depth, is a reactive proxy or could be made one. */
export function reactiveIn(value: unknown, seen = new Set<unknown>()): boolean {
  if (typeof value !== 'object' || value === null || seen.has(value)) return false;
  seen.add(value);
  return isReactive(value) || Object.values(value).some((entry) => reactiveIn(entry, seen));
}
