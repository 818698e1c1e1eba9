/** Commands about inputs: each is one durable change of own work, then a reason to flush. */
import type { ContentPart } from '#shared/protocol/content.ts';
import type { Delivery } from '#shared/protocol/records.ts';
import { newId } from '#shared/ids.ts';
import type { Command, NewRow, OutboxRow, RowState } from '../own/port.ts';
import type { Drafts } from './drafts.ts';
import type { Engine } from './engine.ts';

/** Adds a row for a command other than an input or a create, and starts a flush. */
export async function enqueue(engine: Engine, sessionId: string, command: Command): Promise<void> {
  const { clock, random, own } = engine.parts;
  await own.add(await rowOf(engine, newId(clock, random), sessionId, command), false);
  await kick(engine);
}
export async function rowOf(engine: Engine, id: string, sessionId: string, command: Command): Promise<NewRow> {
  return { id, sessionId, command, composedAt: engine.parts.clock.now(), skew: await engine.skew() };
}
export async function kick(engine: Engine): Promise<void> {
  await engine.rowsChanged();
  engine.outbox.kick();
}

/** Of this device and never sent: it can be changed where it stands. */
function isOnlyHere(row: OutboxRow): boolean {
  return row.attempted === null && row.state !== 'acked' && row.state !== 'sending';
}
/** The server said that it does not have it, or will not. */
const NOT_THERE: readonly RowState[] = ['refused', 'orphaned', 'cancelled'];
const CHANGEABLE: readonly RowState[] = ['held', 'expired', 'refused', 'orphaned', 'cancelled'];

export function inputCommands(engine: Engine, drafts: Drafts) {
  const { clock, random, own, mirror } = engine.parts;
  const find = (id: string): OutboxRow | undefined => engine.rows().find((row) => row.id === id);
  /** What a prompt was written for: the turn seen running. With own words still on their way, nobody can say. */
  function aim(sessionId: string, delivery: Delivery): { aimedTurnId?: string | null } {
    if (delivery === 'queue' || engine.rows().some((row) => row.sessionId === sessionId && row.command.kind === 'input')) return {};
    const summary = engine.list.summary(sessionId);
    return summary === null ? {} : { aimedTurnId: summary.turnId };
  }
  async function change(sessionId: string, inputId: string, wish: { content?: ContentPart[]; delivery?: Delivery; after?: string | null }) {
    const row = find(inputId);
    if (row?.command.kind === 'input' && (isOnlyHere(row) || NOT_THERE.includes(row.state)) && (await changeHere(row, wish))) return;
    const { inputs } = await mirror.projections(sessionId);
    const receipt = inputs.find(({ id }) => id === inputId);
    const pendingEdit = engine.rows().some((other) => other.command.kind === 'edit' && other.command.inputId === inputId);
    const base = wish.content !== undefined && receipt !== undefined && !pendingEdit ? { baseRev: receipt.rev } : {};
    await enqueue(engine, sessionId, { kind: 'edit', inputId, ...wish, ...base });
  }
  async function changeHere(
    row: OutboxRow,
    wish: { content?: ContentPart[]; delivery?: Delivery; after?: string | null },
  ): Promise<boolean> {
    if (row.command.kind !== 'input') return false;
    const command = { ...row.command, content: wish.content ?? row.command.content, delivery: wish.delivery ?? row.command.delivery };
    // A refused id may be known there with the old words: new words get a new one.
    if (row.attempted !== null) await own.replace(row.id, await rowOf(engine, newId(clock, random), row.sessionId, command));
    else if (wish.after !== undefined) await own.change(row.id, { order: orderAfter(row, wish.after) });
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
  function orderAfter(row: OutboxRow, after: string | null): number {
    const others = engine
      .rows()
      .filter((other) => other.sessionId === row.sessionId && other.command.kind === 'input' && other.id !== row.id);
    const at = after === null ? -1 : others.findIndex(({ id }) => id === after);
    const create = engine.rows().find((other) => other.sessionId === row.sessionId && other.command.kind === 'create');
    const low = others[at]?.order ?? create?.order ?? (others[0]?.order ?? row.order) - 1;
    const high = others[at + 1]?.order ?? low + 1;
    return (low + high) / 2;
  }

  return {
    async send(sessionId: string, content: ContentPart[], delivery: Delivery, id = newId(clock, random)): Promise<string> {
      const seenSeq = (await mirror.projections(sessionId)).cursor.seq;
      const command: Command = { kind: 'input', content, delivery, seenSeq, ...aim(sessionId, delivery) };
      await own.add(await rowOf(engine, id, sessionId, command), true);
      drafts.forget(sessionId);
      await kick(engine);
      return id;
    },
    editInput: (sessionId: string, inputId: string, content: ContentPart[]) => change(sessionId, inputId, { content }),
    convertInput: (sessionId: string, inputId: string, delivery: Delivery) => change(sessionId, inputId, { delivery }),
    moveInput: (sessionId: string, inputId: string, after: string | null) => change(sessionId, inputId, { after }),
    async cancelInput(sessionId: string, inputId: string): Promise<void> {
      const row = find(inputId);
      if (row !== undefined && (isOnlyHere(row) || NOT_THERE.includes(row.state))) {
        await own.remove([inputId]);
        return kick(engine);
      }
      if (engine.rows().some((other) => other.command.kind === 'cancel' && other.command.inputId === inputId)) return;
      await enqueue(engine, sessionId, { kind: 'cancel', inputId });
    },
    async resendInput(sessionId: string, inputId: string): Promise<void> {
      const row = find(inputId);
      if (row === undefined || row.sessionId !== sessionId) return;
      if (row.command.kind === 'edit') {
        const content = row.command.content ?? [];
        const again: Command = { kind: 'input', content, delivery: 'queue', seenSeq: (await mirror.projections(sessionId)).cursor.seq };
        await own.replace(row.id, await rowOf(engine, newId(clock, random), sessionId, again));
      } else if (row.code === 'id-conflict' || row.state === 'cancelled') {
        await own.replace(row.id, await rowOf(engine, newId(clock, random), sessionId, row.command));
      } else {
        const afresh = row.state === 'orphaned' ? { attempted: null } : {};
        const states = ['refused', 'expired', 'orphaned'] as const;
        await own.change(row.id, { state: 'held', confirmed: true, code: null, reason: null, ...afresh }, { states });
      }
      await kick(engine);
    },
    async discardInput(_sessionId: string, inputId: string): Promise<void> {
      const about = engine.rows().filter((row) => 'inputId' in row.command && row.command.inputId === inputId);
      await own.remove([inputId, ...about.map(({ id }) => id)]);
      await kick(engine);
    },
  };
}
