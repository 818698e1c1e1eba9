/** What must hold at every single change of the screen: the window's bound and that it is one stretch of the log (laws 9 and 10). */
import { isReactive } from 'vue';
import { isShown, type ChunkRecord, type LogRecord } from '#shared/protocol/records.ts';
import type { TranscriptView } from '../../../app/sync/ports.ts';
import type { NotedScreen } from './device.ts';

export class Watch {
  /** Most chunks that counted towards the limit at once. */
  most = 0;
  changes = 0;
  readonly faults: string[] = [];
  #nonce = 0;
  readonly #windows = new Set<readonly ChunkRecord[]>();

  constructor(screen: NotedScreen, limit: () => number) {
    screen.check = (view) => this.#look(view, limit());
  }
  #look(view: TranscriptView, limit: number): void {
    this.changes++;
    const live = view.live?.chunks ?? [];
    const counted = view.chunks.length + live.filter(({ open }) => !open).length;
    this.most = Math.max(this.most, counted);
    if (counted > limit) this.faults.push(`${view.chunks.length} sealed and ${live.length} live chunks, ${counted} counted, over ${limit}`);
    if (!view.atEnd && live.length > 0) this.faults.push('live chunks are held while the window ends above them');
    const sealed = new Set(view.chunks.map(({ id }) => id));
    for (const { id } of live) if (sealed.has(id)) this.faults.push(`${id} is both sealed and live`);
    if (view.oldestLoadedSeq !== (view.chunks[0]?.seq ?? null) || view.newestLoadedSeq !== (view.chunks.at(-1)?.seq ?? null)) {
      this.faults.push('the ends that are told are not those of the window');
    }
    const { target } = view;
    if (target !== null && target.nonce > this.#nonce) {
      this.#nonce = target.nonce;
      if (!sealed.has(target.chunkId)) this.faults.push(`the target ${target.seq} is not in the window`);
    }
    this.#windows.add(view.chunks);
  }

  /** What was ever wrong; every window that was ever on the screen is held against the log as it now is: no hole, no repeat, in order. */
  against(log: readonly LogRecord[]): string[] {
    const shown = log.filter((record) => record.kind === 'chunk' && isShown(record));
    const at = new Map(shown.map(({ id }, place) => [id, place]));
    const broken = [...this.#windows].filter((chunks) => {
      const first = chunks[0] === undefined ? 0 : (at.get(chunks[0].id) ?? -1);
      return chunks.some((chunk, place) => chunk.id !== shown[first + place]?.id || chunk.seq !== shown[first + place]?.seq);
    });
    return [...this.faults, ...broken.map((chunks) => `no stretch of the log: ${chunks.map(({ seq }) => seq).join(' ')}`)];
  }
}

/** Whether anything in `value`, at any depth, is a reactive proxy. */
export function hasReactive(value: unknown, seen = new Set<unknown>()): boolean {
  if (typeof value !== 'object' || value === null || seen.has(value)) return false;
  seen.add(value);
  const inner = value instanceof Map || value instanceof Set ? [...value.values()] : Object.values(value);
  return isReactive(value) || inner.some((entry) => hasReactive(entry, seen));
}
