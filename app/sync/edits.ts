/** Changing an input: its words, its delivery, its place. What is only here changes where it stands; else the server is asked. */
import { newId } from '#shared/ids.ts';
import type { ContentPart } from '#shared/protocol/content.ts';
import type { Delivery } from '#shared/protocol/records.ts';
import type { Receipt } from '#shared/protocol/summaries.ts';
import type { Command, OutboxRow, RowState } from '../own/port.ts';
import type { Engine } from './engine.ts';
import { enqueue, isOnlyHere, kick, NOT_THERE, rowOf } from './own-rows.ts';

export interface Wish {
  content?: ContentPart[];
  delivery?: Delivery;
  after?: string | null;
}
type EditCommand = Command & { kind: 'edit' };
type EditRow = OutboxRow & { command: EditCommand };
const CHANGEABLE: readonly RowState[] = ['held', 'expired', 'refused', 'orphaned', 'cancelled'];

/** Edits of this input that are not with the server. */
function editsOf(engine: Engine, inputId: string): EditRow[] {
  return engine.rows().filter((row): row is EditRow => row.command.kind === 'edit' && row.command.inputId === inputId);
}
async function receiptOf(engine: Engine, sessionId: string, inputId: string): Promise<Receipt | undefined> {
  return (await engine.parts.mirror.projections(sessionId)).inputs.find(({ id }) => id === inputId);
}

export async function changeInput(engine: Engine, sessionId: string, inputId: string, wish: Wish): Promise<void> {
  const row = engine.rows().find(({ id }) => id === inputId);
  if (row?.command.kind === 'edit') return changeLateEdit(engine, row as EditRow, wish);
  const isHere = row !== undefined && (isOnlyHere(row) || NOT_THERE.includes(row.state) || row.state === 'cancelled');
  if (isHere && (await changeHere(engine, row, wish))) return;
  if (wish.content !== undefined) return rewrite(engine, sessionId, inputId, wish.content);
  await dropRefused(engine, inputId);
  await enqueue(engine, sessionId, { kind: 'edit', inputId, ...wish });
}

/** Words go with what they were written over: an edit that knew other words is asked about, never taken (409, both values). */
async function rewrite(engine: Engine, sessionId: string, inputId: string, content: ContentPart[]): Promise<void> {
  const { clock, random, own } = engine.parts;
  const before = editsOf(engine, inputId).findLast(({ command, state }) => command.content !== undefined && state !== 'refused');
  if (before !== undefined && before.state === 'held' && before.attempted === null) {
    // Nobody has heard of the earlier words: these stand in for them.
    await own.replace(before.id, await rowOf(engine, newId(clock, random), sessionId, { ...before.command, content }));
    return kick(engine);
  }
  const receipt = await receiptOf(engine, sessionId, inputId);
  const basis =
    before === undefined
      ? receipt === undefined
        ? {}
        : { baseRev: receipt.rev, base: receipt.content }
      : { ...(before.command.baseRev === undefined ? {} : { baseRev: before.command.baseRev + 1 }), base: before.command.content! };
  await enqueue(engine, sessionId, { kind: 'edit', inputId, content, ...basis });
}

/** What was refused of an earlier move or turn is told no more once another is asked for. */
export async function dropRefused(engine: Engine, inputId: string): Promise<void> {
  const told = editsOf(engine, inputId).filter(({ command }) => command.content === undefined);
  await engine.parts.own.remove(
    told.map(({ id }) => id),
    ['refused'],
  );
}

/** The user chose between the words of here and those of elsewhere. */
export async function chooseEdit(engine: Engine, sessionId: string, inputId: string, words: 'here' | 'elsewhere'): Promise<void> {
  const { clock, random, own } = engine.parts;
  const refused = editsOf(engine, inputId).filter(({ command, state }) => command.content !== undefined && state === 'refused');
  const mine = refused.at(-1);
  const receipt = await receiptOf(engine, sessionId, inputId);
  if (mine === undefined || receipt === undefined) return;
  const others = refused.slice(0, -1).map(({ id }) => id);
  const again: Command = { ...mine.command, baseRev: receipt.rev, base: receipt.content };
  if (words === 'here') await own.replace(mine.id, await rowOf(engine, newId(clock, random), sessionId, again));
  await own.remove(words === 'here' ? others : [mine.id, ...others], ['refused']);
  await kick(engine);
}

/**
 * An edit was stale. Nobody else changed the words, only place or delivery: it is made again over what is there now. Answers
 * whether it was.
 */
export async function rebase(engine: Engine, row: OutboxRow, details: unknown): Promise<boolean> {
  const { clock, random, own } = engine.parts;
  const current = currentOf(details);
  if (row.command.kind !== 'edit' || row.command.content === undefined || current?.state !== 'pending') return false;
  if (JSON.stringify(current.content) !== JSON.stringify(row.command.base)) return false;
  await own.replace(row.id, await rowOf(engine, newId(clock, random), row.sessionId, { ...row.command, baseRev: current.rev }));
  await kick(engine);
  return true;
}
/** The receipt as it now is, out of the details of a refusal; null: they tell none. */
export function currentOf(details: unknown): Receipt | null {
  if (typeof details !== 'object' || details === null || !('current' in details)) return null;
  return details.current as Receipt;
}

async function changeLateEdit(engine: Engine, row: EditRow, wish: Wish): Promise<void> {
  if (wish.content === undefined) return;
  await engine.parts.own.change(row.id, { command: { ...row.command, content: wish.content } }, { states: ['refused'] });
  await kick(engine);
}

async function changeHere(engine: Engine, row: OutboxRow, wish: Wish): Promise<boolean> {
  const { clock, random, own } = engine.parts;
  if (row.command.kind !== 'input') return false;
  const command = { ...row.command, content: wish.content ?? row.command.content, delivery: wish.delivery ?? row.command.delivery };
  // A refused id may be known there with the old words: new words get a new one.
  if (row.attempted !== null) await own.replace(row.id, await rowOf(engine, newId(clock, random), row.sessionId, command));
  else if (wish.after !== undefined) await own.change(row.id, { order: orderAfter(engine, row, wish.after) });
  else {
    // A flush may have taken it up this moment: then the change goes to the server behind it.
    // New words for what had expired are a yes to sending them.
    const asked = row.state === 'expired' ? { confirmed: true } : {};
    if (!(await own.change(row.id, { command, state: 'held', code: null, reason: null, ...asked }, { states: CHANGEABLE }))) return false;
  }
  await kick(engine);
  return true;
}
/** An order right behind `after`, or before every other held input of the session. */
function orderAfter(engine: Engine, row: OutboxRow, after: string | null): number {
  const others = engine
    .rows()
    .filter((other) => other.sessionId === row.sessionId && other.command.kind === 'input' && other.id !== row.id);
  const at = after === null ? -1 : others.findIndex(({ id }) => id === after);
  const create = engine.rows().find((other) => other.sessionId === row.sessionId && other.command.kind === 'create');
  const low = others[at]?.order ?? create?.order ?? (others[0]?.order ?? row.order) - 1;
  const high = others[at + 1]?.order ?? low + 1;
  return (low + high) / 2;
}
