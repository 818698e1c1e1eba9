/** Rows of the transcript's list: which things stand there, in which order. What a row shows it looks up by itself. */
import type { Group } from '#shared/chunks/group.ts';
import type { ViewChunk } from '#shared/chunks/view.ts';
import type { Approval } from '#shared/protocol/summaries.ts';
import type { ReceiptView } from '../../sync/views.ts';

export interface Row {
  /**
   * `top`: start, hole or older part · `step`: one group of chunks · `ask`: an approval whose call is not here · `edge`: what
   * is below the last record that is here · `now`: what happens there at this moment · `end`: room above the composer.
   */
  readonly kind: 'top' | 'prompt' | 'step' | 'ask' | 'edge' | 'now' | 'end';
  /** Of a prompt its input id, before and after it is sealed: the row stays the same row. */
  readonly key: string;
}

const TOP: Row = { kind: 'top', key: 'top' };
const EDGE: Row = { kind: 'edge', key: 'edge' };
const NOW: Row = { kind: 'now', key: 'now' };
const END: Row = { kind: 'end', key: 'end' };

/** Facts for the model alone: the reader sees date and mode elsewhere. */
function isQuiet(chunk: ViewChunk): boolean {
  const { data } = chunk;
  return chunk.type === 'system' && typeof data === 'object' && data !== null && 'kind' in data && data.kind === 'context';
}

/**
 * Rows in order. `previous`: the last answer, handed back as it was when nothing moved, so that a delta does not touch the
 * list. Receipts of the queue are shown by the tray above the composer; those whose chunk is here are the chunk. What happens now
 * comes after what waits: a prompt that is promoted stands where it stood, whatever comes and goes below it.
 */
export function rowsOf(
  groups: readonly Group[],
  receipts: readonly ReceiptView[],
  asks: readonly Approval[],
  atEnd: boolean,
  previous: readonly Row[],
): readonly Row[] {
  const known = new Map(previous.map((row) => [row.key, row]));
  const rows: Row[] = [TOP];
  const seen = new Set<string>();
  const add = (kind: Row['kind'], key: string): void => {
    if (seen.has(key)) return;
    seen.add(key);
    const old = known.get(key);
    rows.push(old?.kind === kind ? old : { kind, key });
  };
  for (const group of groups) {
    if (group.items.every((item) => isQuiet(item.chunk))) continue;
    add(group.items[0]!.chunk.type === 'prompt' ? 'prompt' : 'step', group.key);
  }
  if (atEnd) for (const ask of asks) add('ask', ask.id);
  rows.push(EDGE);
  if (atEnd) for (const receipt of receipts) if (receipt.lane === 'transcript') add('prompt', receipt.id);
  rows.push(NOW, END);
  return rows.length === previous.length && rows.every((row, at) => row === previous[at]) ? previous : rows;
}
