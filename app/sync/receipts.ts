/** What of a session's inputs is not in the transcript yet: rows of this device and the server's pending ones, as one list. Pure. */
import type { Receipt } from '#shared/protocol/summaries.ts';
import type { OutboxRow } from '../own/port.ts';
import { inputOf } from './orders.ts';
import type { ReceiptView, Stage } from './views.ts';

/** Prompt chunks that are in the mirror are hidden at once, whatever a row or receipt still says. */
export interface ReceiptFacts {
  sessionId: string;
  rows: readonly OutboxRow[];
  pending: readonly Receipt[];
  isPromoted(inputId: string): boolean;
}

/** Accepted steers by admission, then the queue in run order, then what waits here in the order it was written. */
export function receiptViews(facts: ReceiptFacts): ReceiptView[] {
  const rows = facts.rows.filter((row) => row.sessionId === facts.sessionId);
  const pending = facts.pending.filter((receipt) => !facts.isPromoted(receipt.id));
  const known = new Set(pending.map(({ id }) => id));
  const steers = pending.filter(({ delivery }) => delivery === 'steer').sort((a, b) => a.seq - b.seq);
  const queued = pending.filter(({ delivery }) => delivery === 'queue').sort((a, b) => a.rank - b.rank || a.seq - b.seq);
  const own = rows.filter((row) => row.command.kind === 'input' && !known.has(row.id) && !facts.isPromoted(row.id));
  const waiting = own.filter(({ state }) => state === 'held');
  const refusedEdits = rows.filter((row) => row.command.kind === 'edit' && row.command.content !== undefined && row.state === 'refused');
  const create = rows.find((row) => row.command.kind === 'create' && row.state === 'refused');
  return [
    ...steers.map((receipt) => accepted(receipt, rows, null, null)),
    ...queued.map((receipt, at) => accepted(receipt, rows, at + 1, queued.length)),
    ...own.map((row) => ofRow(row, rows, waiting, create?.reason ?? null)),
    ...refusedEdits.map((row) => ofRow(row, rows, waiting, null)),
  ];
}

/** Edits and cancels of an input that the server does not have yet. */
function changesOf(rows: readonly OutboxRow[], inputId: string): OutboxRow[] {
  return rows.filter((row) => inputOf(row.command) === inputId && row.state !== 'refused');
}

function accepted(receipt: Receipt, rows: readonly OutboxRow[], place: number | null, of: number | null): ReceiptView {
  return {
    id: receipt.id,
    sessionId: receipt.sessionId,
    // The server's words, also while an edit is held here: what would run now is what is shown.
    content: receipt.content,
    delivery: receipt.delivery,
    stage: receipt.delivery === 'steer' ? 'steer' : 'queued',
    place,
    of,
    tries: 0,
    reason: null,
    composedAt: receipt.composedAt,
    changeHeld: changesOf(rows, receipt.id).length > 0,
  };
}

function stageOf(row: OutboxRow, createRefused: string | null): Stage {
  if (row.state === 'acked') return row.command.kind === 'input' && row.command.delivery === 'queue' ? 'queued' : 'steer';
  if (row.state === 'held' && createRefused !== null) return 'refused';
  return row.state;
}

function ofRow(row: OutboxRow, rows: readonly OutboxRow[], waiting: readonly OutboxRow[], createRefused: string | null): ReceiptView {
  const { command } = row;
  const content = command.kind === 'input' || command.kind === 'edit' ? (command.content ?? []) : [];
  const stage = stageOf(row, createRefused);
  const held = stage === 'held';
  return {
    id: row.id,
    sessionId: row.sessionId,
    content,
    delivery: command.kind === 'input' ? command.delivery : 'queue',
    stage,
    place: held ? waiting.indexOf(row) + 1 : null,
    of: held ? waiting.length : null,
    tries: row.tries,
    reason: row.reason ?? (stage === 'refused' ? createRefused : null),
    composedAt: row.composedAt,
    changeHeld: changesOf(rows, row.id).length > 0,
  };
}
