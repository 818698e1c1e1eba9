/**
 * Flushing the outbox: each row one request at a time, each answer one durable mark, until the server has spoken about all of
 * them. A try that got no answer of Cairn's proves nothing: it is made again with the same id and the same bytes (law 1).
 */
import { backoff } from '#shared/backoff.ts';
import { ROUTES } from '#shared/protocol/routes.ts';
import type { Receipt } from '#shared/protocol/summaries.ts';
import type { Clock, Random, Report, Timers } from '#shared/ports.ts';
import type { OutboxRow, Own, RowPatch, RowState } from '../own/port.ts';
import { isExpired, type ClockFacts } from './age.ts';
import { STEAL_AFTER, type FlushLock } from './flush-lock.ts';
import type { Http } from './http.ts';
import { orderOf, verdictOf, type Verdict } from './orders.ts';
import { ready } from './outbox-rules.ts';

export interface OutboxParts {
  own: Own;
  http: Http;
  lock: FlushLock;
  clock: Clock;
  random: Random;
  timers: Timers;
  report: Report;
  /** Null: the link is not up, so nothing is sent. */
  epoch(): string | null;
  clockFacts(): ClockFacts;
  /** Whether the chunk of this input is in the mirror. */
  isMirrored(inputId: string, receipt: Receipt): Promise<boolean>;
  /** Rows changed: views and other tabs want to know. */
  changed(): Promise<void>;
  /** A command other than an input was answered, or an input by something worth telling. */
  answered(row: OutboxRow, verdict: Verdict): Promise<void>;
  signedOut(revoked: boolean): void;
}
const RETRY = { base: 1_000, cap: 30_000 };
/** A fact from the server outranks these; what the user must decide, or was settled, stays. */
const OPEN: readonly RowState[] = ['held', 'sending', 'unknown'];
const ORPHANED = 'The server was restored without it. Send it again?';

export class Outbox {
  readonly #parts: OutboxParts;
  /** Rows whose request is out, with what ends it early. */
  readonly #out = new Map<string, AbortController>();
  readonly #failed = new Map<string, { times: number; until: number }>();
  /** Acked rows that were looked up since the link is up. */
  readonly #checked = new Set<string>();
  #running = false;
  #again = false;
  #cancelTimer: (() => void) | null = null;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  /** The link came up: every wait is over, and what was acked before is looked up once. */
  linkUp(): void {
    this.#failed.clear();
    this.#checked.clear();
    this.kick();
  }
  /** Something may be ready. Calls while a flush runs are one more round of it. */
  kick(): void {
    this.#again = true;
    if (this.#running) return;
    this.#running = true;
    this.#run()
      .catch((error: unknown) => this.#parts.report('outbox.flush', { error }))
      .finally(() => {
        this.#running = false;
        if (this.#again && this.#parts.epoch() !== null) this.kick();
      });
  }

  /** The server spoke of an input by socket: its row settles, and a request that still hangs is given up (I29). */
  async heard(inputId: string, receipt: Receipt | null): Promise<void> {
    const rows = await this.#parts.own.rows();
    const row = rows.find(({ id }) => id === inputId);
    if (receipt !== null && receipt.state !== 'pending') await this.#untell(rows, [inputId]);
    if (row === undefined || row.command.kind !== 'input') return;
    if (receipt !== null) await this.#settle(row, receipt);
    else if (await this.#mark(row, { state: 'acked' }, OPEN)) await this.#parts.changed();
    this.#out.get(inputId)?.abort();
  }
  /** Their chunks are in the mirror: the rows have done their work. */
  async retire(inputIds: readonly string[]): Promise<void> {
    const rows = await this.#parts.own.rows();
    await this.#untell(rows, inputIds);
    const done = rows.filter((row) => row.command.kind === 'input' && inputIds.includes(row.id)).map(({ id }) => id);
    if (done.length === 0) return;
    await this.#parts.own.remove(done);
    for (const id of done) this.#out.get(id)?.abort();
    await this.#parts.changed();
    this.kick();
  }

  /** These are pending no more: what was told of a move or turn of theirs that came too late has lost its place. */
  async #untell(rows: readonly OutboxRow[], inputIds: readonly string[]): Promise<void> {
    const told = rows.filter(({ command, state }) => state === 'refused' && command.kind === 'edit' && inputIds.includes(command.inputId));
    const wordless = told.filter(({ command }) => command.kind === 'edit' && command.content === undefined);
    if (wordless.length === 0) return;
    await this.#parts.own.remove(wordless.map(({ id }) => id));
    await this.#parts.changed();
  }

  async #run(): Promise<void> {
    while (this.#again && this.#parts.epoch() !== null) {
      this.#again = false;
      const rows = await this.#parts.own.rows();
      if (!rows.some((row) => this.#wants(row)) || this.#due(rows).length === 0) break;
      const held = await this.#parts.lock.run((fence) => this.#batch(fence));
      if (!held) return this.#wake(STEAL_AFTER);
    }
    await this.#wakeForRetries();
  }
  async #wakeForRetries(): Promise<void> {
    const waiting = new Set((await this.#parts.own.rows()).filter((row) => this.#wants(row)).map(({ id }) => id));
    for (const id of this.#failed.keys()) if (!waiting.has(id)) this.#failed.delete(id);
    const soonest = Math.min(...[...this.#failed.values()].map(({ until }) => until));
    if (Number.isFinite(soonest)) this.#wake(Math.max(0, soonest - this.#parts.clock.now()));
  }
  #wake(ms: number): void {
    this.#cancelTimer?.();
    this.#cancelTimer = this.#parts.timers.after(ms, () => this.kick());
  }
  #wants(row: OutboxRow): boolean {
    return row.state === 'held' || row.state === 'unknown' || row.state === 'sending' || this.#unchecked(row);
  }
  #unchecked(row: OutboxRow): boolean {
    return row.state === 'acked' && !this.#checked.has(row.id);
  }
  #due(rows: readonly OutboxRow[]): OutboxRow[] {
    const now = this.#parts.clock.now();
    // Rows left in `sending` by a tab that died wait again once the lock's fence is drawn: they count as due here.
    const seen = rows.map((row) => (row.state === 'sending' && !this.#out.has(row.id) ? { ...row, state: 'held' as const } : row));
    const free = (row: OutboxRow): boolean => !this.#out.has(row.id) && (this.#failed.get(row.id)?.until ?? 0) <= now;
    return [...ready(seen), ...rows.filter((row) => this.#unchecked(row))].filter(free);
  }

  /** Sends what is due until nothing is out and nothing more is due: sessions do not wait for each other (I32). */
  async #batch(fence: number): Promise<void> {
    const out = new Set<Promise<void>>();
    for (;;) {
      const due = this.#parts.epoch() === null ? [] : this.#due(await this.#parts.own.rows());
      for (const row of due) {
        const abort = new AbortController();
        this.#out.set(row.id, abort);
        const sent = this.#send(row, fence, abort.signal)
          .catch((error: unknown) => {
            this.#parts.report('outbox.row', { id: row.id, error });
            this.#fail(row);
          })
          .finally(() => {
            this.#out.delete(row.id);
            out.delete(sent);
          });
        out.add(sent);
      }
      if (out.size === 0) return;
      await Promise.race(out);
    }
  }
  #fail(row: OutboxRow): void {
    const times = (this.#failed.get(row.id)?.times ?? 0) + 1;
    this.#failed.set(row.id, { times, until: this.#parts.clock.now() + backoff(times - 1, RETRY, this.#parts.random) });
  }

  async #mark(row: OutboxRow, patch: RowPatch, states: readonly RowState[], fence?: number): Promise<boolean> {
    return this.#parts.own.change(row.id, patch, fence === undefined ? { states } : { states, fence });
  }
  async #move(row: OutboxRow, patch: RowPatch, states: readonly RowState[], fence?: number): Promise<boolean> {
    const moved = await this.#mark(row, patch, states, fence);
    if (moved) await this.#parts.changed();
    return moved;
  }

  async #send(row: OutboxRow, fence: number, signal: AbortSignal): Promise<void> {
    const epoch = this.#parts.epoch();
    if (epoch === null) return;
    // What may not go now is left alone for a while, whatever the reason: a flush never spins.
    if (row.command.kind === 'input' && !(await this.#mayGo(row, epoch, fence, signal))) return this.#fail(row);
    const sending = { state: 'sending' as const, tries: row.tries + 1, attempted: row.attempted ?? epoch };
    if (!(await this.#move(row, sending, ['held', 'unknown'], fence))) return this.#fail(row);
    // Read again: until this mark the user could change it, and what is sent must be what is kept.
    const kept = (await this.#parts.own.rows()).find(({ id }) => id === row.id);
    if (kept === undefined) return;
    const { method, path, body } = orderOf(kept);
    const verdict = verdictOf(await this.#parts.http.ask(method, path, body, signal));
    this.#parts.lock.progress();
    await this.#judge(kept, verdict, fence, signal);
  }

  async #judge(row: OutboxRow, verdict: Verdict, fence: number, signal: AbortSignal): Promise<void> {
    switch (verdict.type) {
      case 'trouble':
        if (await this.#move(row, { state: 'held' }, ['sending'], fence)) this.#fail(row);
        return;
      case 'signed-out':
        await this.#move(row, { state: 'held', tries: row.tries - 1 }, ['sending'], fence);
        return this.#parts.signedOut(verdict.revoked);
      case 'done':
        this.#failed.delete(row.id);
        if (row.command.kind === 'input' && verdict.receipt !== null) await this.#settle(row, verdict.receipt);
        return this.#done(row, verdict);
      case 'refused':
        return this.#refuse(row, verdict, signal);
    }
  }
  async #done(row: OutboxRow, verdict: Verdict): Promise<void> {
    const stays = await this.#stays(row);
    // What the answer shows is in place before the row that stood for it goes.
    await this.#parts.answered(row, verdict);
    if (row.command.kind !== 'input' && !stays) await this.#parts.own.remove([row.id]);
    await this.#parts.changed();
  }
  /** A cancel that can be undone stays for a while, with the words: from now on as one that is done. */
  async #stays(row: OutboxRow): Promise<boolean> {
    if (row.command.kind !== 'cancel') return false;
    const now = (await this.#parts.own.rows()).find(({ id }) => id === row.id);
    const isUndoable = now?.command.kind === 'cancel' && now.command.kept !== undefined;
    return isUndoable && (await this.#move(row, { state: 'cancelled' }, OPEN));
  }
  async #refuse(row: OutboxRow, verdict: Verdict & { type: 'refused' }, signal: AbortSignal): Promise<void> {
    this.#failed.delete(row.id);
    if (row.command.kind === 'input') {
      // An earlier try may have been accepted with its answer lost: the receipt tells, before a refusal is shown.
      const found = row.tries > 1 ? verdictOf(await this.#look(row, signal)) : null;
      if (found?.type === 'done' && found.receipt !== null && verdict.code !== 'id-conflict') return this.#settle(row, found.receipt);
    }
    const state = verdict.code === 'session-deleted' ? 'orphaned' : 'refused';
    await this.#move(row, { state, code: verdict.code, reason: verdict.message }, OPEN);
    await this.#parts.answered(row, verdict);
  }

  #look(row: OutboxRow, signal: AbortSignal) {
    return this.#parts.http.ask('GET', ROUTES.input(row.sessionId, row.id), undefined, signal);
  }
  /** Looks up what was attempted where that matters, and asks the user where only they can say. True: send it. */
  async #mayGo(row: OutboxRow, epoch: string, fence: number, signal: AbortSignal): Promise<boolean> {
    const restored = row.attempted !== null && row.attempted !== epoch;
    const expired = isExpired(row, this.#parts.clockFacts());
    if (row.state === 'acked' || row.state === 'unknown' || (row.attempted !== null && (restored || expired))) {
      if (row.state === 'held') await this.#move(row, { state: 'unknown' }, ['held'], fence);
      const verdict = verdictOf(await this.#look(row, signal));
      if (verdict.type === 'trouble') return false;
      if (verdict.type === 'signed-out') return (this.#parts.signedOut(verdict.revoked), false);
      this.#checked.add(row.id);
      if (verdict.type === 'done') return (await this.#settle(row, verdict.receipt), false);
      if (row.state === 'acked' || restored || verdict.code === 'session-deleted') {
        const reason = verdict.code === 'session-deleted' ? verdict.message : ORPHANED;
        await this.#move(row, { state: 'orphaned', code: verdict.code, reason }, [...OPEN, 'acked']);
        return false;
      }
    }
    if (!expired) return true;
    await this.#move(row, { state: 'expired' }, OPEN, fence);
    return false;
  }

  /** The server has it: what its receipt says becomes of the row. */
  async #settle(row: OutboxRow, receipt: Receipt | null): Promise<void> {
    if (receipt === null || row.command.kind !== 'input') return;
    this.#checked.add(row.id);
    const settled: readonly RowState[] = [...OPEN, 'acked', 'expired', 'orphaned'];
    if (receipt.state === 'cancelled') await this.#mark(row, { state: 'cancelled', code: null }, settled);
    else if (receipt.state === 'promoted' && (await this.#parts.isMirrored(row.id, receipt))) await this.#parts.own.remove([row.id]);
    else {
      const code = toldOf(row, receipt);
      if (row.state === 'acked' && row.code === code && row.command.delivery === receipt.delivery) return;
      await this.#mark(row, { state: 'acked', code, reason: null, command: { ...row.command, delivery: receipt.delivery } }, settled);
    }
    await this.#parts.changed();
  }
}

/** What its author is told of an input that the server has: a steer that was queued by the server, and by nobody since. */
function toldOf(row: OutboxRow, receipt: Receipt): string | null {
  if (row.command.kind !== 'input' || receipt.rev > 1) return null;
  if (row.state === 'acked') return row.code;
  const asked = row.command.delivery === 'steer' && row.command.aimedTurnId !== undefined;
  return asked && receipt.delivery === 'queue' ? 'other-turn' : null;
}
