/** What of a session's inputs is not in the transcript yet: rows of this device and the server's pending ones, as one list. Pure. */
import type { Receipt } from '#shared/protocol/summaries.ts';
import type { Command, Kept, OutboxRow } from '../own/port.ts';
import { writtenAt } from './age.ts';
import { inputOf } from './orders.ts';
import { isOutstanding } from './outbox-rules.ts';
import { trayOrder, type Placed } from './tray.ts';
import type { Decision, ReceiptNote, ReceiptView, Stage } from './views.ts';

/** Prompt chunks that are in the mirror are hidden at once, whatever a row or receipt still says. */
export interface ReceiptFacts {
  sessionId: string;
  rows: readonly OutboxRow[];
  pending: readonly Receipt[];
  isPromoted(inputId: string): boolean;
}
type InputCommand = Command & { kind: 'input' };
type InputRow = OutboxRow & { command: InputCommand };
type CancelRow = OutboxRow & { command: Command & { kind: 'cancel' } & { kept: Kept } };

const isInput = (row: OutboxRow): row is InputRow => row.command.kind === 'input';
/** A cancel that can be undone. */
const isUndoable = (row: OutboxRow): row is CancelRow => row.command.kind === 'cancel' && row.command.kept !== undefined;
/** The server has done it; it stands there to be undone, or for a page to take in. */
const isDone = ({ command, state }: OutboxRow): boolean => state === 'cancelled' || (command.kind === 'cancel' && state === 'acked');
const isRefusedEdit = (row: OutboxRow): boolean => row.command.kind === 'edit' && row.state === 'refused';

/** Accepted steers by admission, then the tray in its order, then what waits here in the order it was written. */
export function receiptViews(facts: ReceiptFacts): ReceiptView[] {
  const rows = facts.rows.filter((row) => row.sessionId === facts.sessionId);
  // The server's word on a cancel outranks a receipt that was on its way here before it: cancelled stays cancelled.
  const over = new Set(rows.filter(isDone).map((row) => inputOf(row.command) ?? row.id));
  const pending = facts.pending.filter((receipt) => !facts.isPromoted(receipt.id) && !over.has(receipt.id));
  const known = new Set(pending.map(({ id }) => id));
  const inputs = new Map(rows.filter(isInput).map((row) => [row.id, row]));
  const cancelled = rows
    .filter(isUndoable)
    .filter((row) => !known.has(row.command.inputId) && !facts.isPromoted(row.command.inputId) && isLeft(row, inputs))
    .map((row) => ({ kept: row.command.kept, view: ofCancel(row, inputs) }));
  const gone = new Set([...known, ...cancelled.map(({ view }) => view.id)]);
  // Under an id that other words have, it is not the one in the transcript.
  const isThere = ({ id, code }: InputRow): boolean => facts.isPromoted(id) && code !== 'id-conflict';
  const own = [...inputs.values()].filter((row) => !gone.has(row.id) && !isThere(row));
  const waiting = own.filter(({ state }) => state === 'held');

  const steers = [
    ...pending
      .filter(({ delivery }) => delivery === 'steer')
      .map((one) => ({ seq: one.seq, view: accepted(one, inputs, rows, null, null) })),
    ...cancelled.filter(({ view }) => view.lane === 'transcript').map(({ kept, view }) => ({ seq: kept.seq, view })),
  ];
  const queued = pending.filter(({ delivery }) => delivery === 'queue').sort((a, b) => a.rank - b.rank || a.seq - b.seq);
  const create = rows.find((row) => row.command.kind === 'create' && row.state === 'refused');
  const ofOwn = own.map((row) => ({ row, view: ofRow(row, rows, waiting, create?.reason ?? null) }));
  const tray = trayOrder(
    [
      ...queued.map((one, at) => accepted(one, inputs, rows, at + 1, queued.length)),
      // Accepted a moment ago: its number comes with the server's word.
      ...ofOwn.filter(({ row, view }) => view.lane === 'tray' && row.command.after === undefined).map(({ view }) => view),
    ],
    [
      ...cancelled.filter(({ view }) => view.lane === 'tray').map(({ kept, view }) => ({ view, after: kept.after })),
      ...ofOwn.flatMap(({ row, view }) => (view.lane === 'tray' ? placed(row, view) : [])),
      ...queued.flatMap((one, at) => onItsWay(one, inputs, rows, accepted(one, inputs, rows, at + 1, queued.length))),
    ],
  );
  const late = rows.filter(
    (row) => isRefusedEdit(row) && row.command.kind === 'edit' && !known.has(row.command.inputId) && row.command.content,
  );
  return [
    ...steers.sort((a, b) => a.seq - b.seq).map(({ view }) => view),
    ...tray,
    ...ofOwn.filter(({ view }) => view.lane === 'transcript').map(({ view }) => view),
    ...late.map((row) => ofLateEdit(row, facts)),
  ];
}

function placed(row: InputRow, view: ReceiptView): Placed[] {
  return row.command.after === undefined ? [] : [{ view, after: row.command.after }];
}
/** Written again at its old place, and the server still has to put it there. */
function onItsWay(receipt: Receipt, inputs: ReadonlyMap<string, InputRow>, rows: readonly OutboxRow[], view: ReceiptView): Placed[] {
  const after = inputs.get(receipt.id)?.command.after;
  const moving = rows.some((row) => row.command.kind === 'edit' && row.command.inputId === receipt.id && row.state !== 'refused');
  return after === undefined || !moving ? [] : [{ view, after }];
}

/** Answers to approvals of this session that wait here. */
export function decisionsIn(sessionId: string, rows: readonly OutboxRow[]): ReadonlyMap<string, Decision> {
  const given = new Map<string, Decision>();
  for (const row of rows) {
    if (row.sessionId !== sessionId || row.command.kind !== 'decide') continue;
    const { approvalId, decision, remember } = row.command;
    // The first that was given here is the first to be heard.
    if (!given.has(approvalId)) given.set(approvalId, { decision, remember, heard: row.state === 'acked' });
  }
  return given;
}

/** Edits and cancels of an input that the server does not have yet. */
function changesOf(rows: readonly OutboxRow[], inputId: string): OutboxRow[] {
  return rows.filter((row) => inputOf(row.command) === inputId && isOutstanding(row));
}
/** What of them the screen says. */
function changeFacts(rows: readonly OutboxRow[], inputId: string): Pick<ReceiptView, 'changeHeld' | 'heldContent' | 'undoable'> {
  const changes = changesOf(rows, inputId);
  const edit = changes.findLast((row) => row.command.kind === 'edit' && row.command.content !== undefined);
  return {
    changeHeld: changes.length > 0,
    heldContent: edit?.command.kind === 'edit' ? (edit.command.content ?? null) : null,
    undoable: changes.some(isUndoable),
  };
}

function accepted(
  receipt: Receipt,
  inputs: ReadonlyMap<string, InputRow>,
  rows: readonly OutboxRow[],
  place: number | null,
  of: number | null,
): ReceiptView {
  const own = inputs.get(receipt.id);
  const isSteer = receipt.delivery === 'steer';
  const refused = rows.filter((row) => isRefusedEdit(row) && inputOf(row.command) === receipt.id).map(({ command }) => command);
  const mine = refused.findLast((command) => command.kind === 'edit' && command.content !== undefined);
  return {
    id: receipt.id,
    sessionId: receipt.sessionId,
    // The server's words, also while an edit is held here: what would run now is what is shown.
    content: receipt.content,
    delivery: receipt.delivery,
    stage: isSteer ? 'steer' : 'queued',
    place,
    of,
    tries: 0,
    reason: null,
    code: null,
    composedAt: receipt.composedAt,
    lane: isSteer ? 'transcript' : 'tray',
    asleep: receipt.held === true,
    seenSeq: own?.command.seenSeq ?? null,
    ...changeFacts(rows, receipt.id),
    conflict: mine?.kind === 'edit' ? (mine.content ?? null) : null,
    note: noteOf(refused, own?.code === 'other-turn' && !isSteer),
  };
}
function noteOf(refused: readonly Command[], otherTurn: boolean): ReceiptNote | null {
  const last = refused.findLast((command) => command.kind === 'edit' && command.content === undefined);
  if (last?.kind === 'edit') return last.after === undefined ? 'not-turned' : 'not-moved';
  return otherTurn ? 'other-turn' : null;
}

function stageOf(row: InputRow, createRefused: string | null): Stage {
  if (row.state === 'acked') return row.command.delivery === 'queue' ? 'queued' : 'steer';
  if (row.state === 'held' && createRefused !== null) return 'refused';
  return row.state;
}

function ofRow(row: InputRow, rows: readonly OutboxRow[], waiting: readonly OutboxRow[], createRefused: string | null): ReceiptView {
  const { command } = row;
  const stage = stageOf(row, createRefused);
  const held = stage === 'held';
  // What is written again at its old place stands there from the first.
  const inTray = stage === 'queued' || (command.after !== undefined && command.delivery === 'queue' && (held || stage === 'sending'));
  return {
    id: row.id,
    sessionId: row.sessionId,
    content: command.content,
    delivery: command.delivery,
    stage,
    place: held ? waiting.indexOf(row) + 1 : null,
    of: held ? waiting.length : null,
    tries: row.tries,
    reason: row.reason ?? (stage === 'refused' ? createRefused : null),
    code: row.code,
    composedAt: writtenAt(row),
    lane: inTray ? 'tray' : 'transcript',
    asleep: false,
    seenSeq: command.seenSeq,
    ...changeFacts(rows, row.id),
    undoable: changesOf(rows, row.id).some(isUndoable) || (stage === 'cancelled' && row.code === 'cancelled-here'),
    conflict: null,
    note: stage === 'queued' && row.code === 'other-turn' ? 'other-turn' : null,
  };
}

/** Nothing but the cancel speaks for the input any more: nor is it written again already. */
function isLeft(row: CancelRow, inputs: ReadonlyMap<string, InputRow>): boolean {
  const own = inputs.get(row.command.inputId);
  if (inputs.has(row.command.kept.againId)) return false;
  return isDone(row) || own === undefined || own.state === 'cancelled';
}
/** Taken back, and no longer pending: cancelled once somebody has said so, until then nobody knows. */
function ofCancel(row: CancelRow, inputs: ReadonlyMap<string, InputRow>): ReceiptView {
  const { inputId, kept } = row.command;
  const done = isDone(row) || inputs.get(inputId)?.state === 'cancelled';
  return {
    id: inputId,
    sessionId: row.sessionId,
    content: kept.content,
    delivery: kept.delivery,
    stage: done ? 'cancelled' : 'unknown',
    place: null,
    of: null,
    tries: 0,
    reason: null,
    code: 'cancelled-here',
    composedAt: writtenAt(row),
    lane: kept.delivery === 'queue' ? 'tray' : 'transcript',
    asleep: false,
    seenSeq: null,
    changeHeld: false,
    heldContent: null,
    undoable: true,
    conflict: null,
    note: null,
  };
}

/** An edit of what is pending no more: its words can be sent as a prompt of their own. */
function ofLateEdit(row: OutboxRow, facts: ReceiptFacts): ReceiptView {
  const { command } = row;
  const edit = command.kind === 'edit' ? command : null;
  const isPromoted = row.code === 'already-promoted' || facts.isPromoted(edit?.inputId ?? '');
  return {
    id: row.id,
    sessionId: row.sessionId,
    content: edit?.content ?? [],
    delivery: 'queue',
    stage: 'refused',
    place: null,
    of: null,
    tries: row.tries,
    reason: row.reason,
    code: isPromoted ? 'already-promoted' : row.code === 'stale-edit' ? 'gone' : row.code,
    composedAt: writtenAt(row),
    lane: 'transcript',
    asleep: false,
    seenSeq: null,
    changeHeld: false,
    heldContent: null,
    undoable: false,
    conflict: null,
    note: null,
  };
}
