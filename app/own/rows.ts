/** A row's first state, and what a change does to it. Pure. */
import { FORMAT, type NewRow, type OutboxRow, type RowPatch, type RowState } from './port.ts';

export function newRow(row: NewRow, order: number): OutboxRow {
  return { ...row, v: FORMAT, order, state: 'held', attempted: null, tries: 0, code: null, reason: null, confirmed: false };
}
/** The row after `patch`; null when it is not in one of `states`. */
export function changed(row: OutboxRow, patch: RowPatch, states: readonly RowState[] | undefined): OutboxRow | null {
  return states !== undefined && !states.includes(row.state) ? null : { ...row, ...patch };
}
/** Whether a row is there and in one of `states`; none named: in whichever. */
export function isOneOf(row: OutboxRow | undefined, states: readonly RowState[] | undefined): boolean {
  return row !== undefined && (states === undefined || states.includes(row.state));
}
/** A row that some tab was sending when it died: it waits again, and that try is not counted. */
export function recovered(row: OutboxRow): OutboxRow {
  return row.state === 'sending' ? { ...row, state: 'held', tries: Math.max(0, row.tries - 1) } : row;
}
export function inOrder(rows: readonly OutboxRow[]): OutboxRow[] {
  return rows.filter((row) => row.v === FORMAT).sort((a, b) => a.order - b.order);
}
