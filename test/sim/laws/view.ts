/** Laws 8, 9 and 10, held against every change of a transcript on a screen. */
import type { ChunkRecord } from '#shared/protocol/records.ts';
import type { TranscriptView } from '../../../app/sync/ports.ts';
import type { SimTab } from '../tab.ts';

/** Windows that were looked at already. */
const looked = new WeakSet<readonly ChunkRecord[]>();

export function lookAtView(tab: SimTab, view: TranscriptView): void {
  const { world } = tab;
  const live = view.live?.chunks ?? [];
  const counted = view.chunks.length + live.filter(({ open }) => !open).length;
  if (counted > world.chunkLimit) world.fault('law-09', `${tab.name} shows ${counted} chunks, over ${world.chunkLimit}`);
  const sealed = live.length === 0 ? null : new Set(view.chunks.map(({ id }) => id));
  const twice = live.find(({ id }) => sealed!.has(id));
  if (twice !== undefined) world.fault('law-14', `${tab.name} shows ${twice.id} as it streams, and beside it as it was sealed`);
  if (!view.atEnd && live.length > 0) world.fault('law-09', `${tab.name} holds live chunks while its window ends above them`);
  if (view.oldestLoadedSeq !== (view.chunks[0]?.seq ?? null) || view.newestLoadedSeq !== (view.chunks.at(-1)?.seq ?? null))
    world.fault('law-10', `${tab.name} tells other ends than those of its window`);
  if (view.sessionId === null) return;
  if (view.chunks.length === 0 || looked.has(view.chunks)) return;
  looked.add(view.chunks);
  const logs = world.oracle.everOf(view.sessionId);
  const first = view.chunks[0]!;
  const found = logs.filter(({ shown }) => {
    const from = shown.findIndex(({ seq }) => seq === first.seq);
    return from >= 0 && view.chunks.every((chunk, at) => shown[from + at]?.id === chunk.id && shown[from + at]?.seq === chunk.seq);
  });
  if (found.length === 0) {
    const seqs = view.chunks.map(({ seq }) => seq).join(' ');
    const others = logs.map(({ shown }) => {
      const from = shown.findIndex(({ seq }) => seq === first.seq);
      const at = view.chunks.findIndex((chunk, n) => shown[from + n]?.id !== chunk.id);
      return `${shown[from + at]?.seq ?? 'nothing'} ${shown[from + at]?.type ?? ''} in place of ${view.chunks[at]?.seq} ${view.chunks[at]?.type}`;
    });
    world.fault('law-08', `${tab.name} shows of ${view.sessionId} what is no stretch of its log: ${seqs} (${others.join('; ')})`);
  } else if (view.atStart && found.every(({ shown }) => shown[0]!.seq !== first.seq))
    world.fault('law-10', `${tab.name} says that ${view.sessionId} begins at ${first.seq}`);
}
