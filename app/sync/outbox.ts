/**
 * Flushing the outbox: each row one request at a time, each answer one durable mark, until the server has spoken about all of
 * them. A try that got no answer of Cairn's proves nothing: it is made again with the same id and the same bytes (law 1).
 */
import type { ContentPart } from '#shared/protocol/content.ts';
import { isChunk, type LogRecord } from '#shared/protocol/records.ts';
import { ROUTES } from '#shared/protocol/routes.ts';
import type { Receipt } from '#shared/protocol/summaries.ts';
import type { Random, Report, Timers } from '#shared/ports.ts';
import type { OutboxRow, Own, RowPatch, RowState } from '../own/port.ts';
import { isExpired, type ClockFacts } from './age.ts';
import type { FlushLock } from './flush-lock.ts';
import type { Http } from './http.ts';
import { againOf, inputOf, orderOf, verdictOf, type Verdict } from './orders.ts';
import { ready } from './outbox-rules.ts';
import { Retries } from './retries.ts';

export interface OutboxParts {
  own: Own;
  http: Http;
  lock: FlushLock;
  timers: Timers;
  random: Random;
  report: Report;
  /** Null: the link is not up, so nothing is sent. */
  epoch(): string | null;
  clockFacts(): ClockFacts;
  /** Whether the chunk of this input is in the mirror. */
  isMirrored(inputId: string, receipt: Receipt): Promise<boolean>;
  /** Rows changed: views and other tabs want to know. */
  changed(): Promise<void>;
  /**
   * A command other than an input was answered, or an input by something worth telling. Null: there is nobody here to tell and no
   * mirror to take it in, as in the worker; then what was done stays `acked`, and what was refused waits, for a page to ask once
   * more: the server says the same again, and there it is taken in and told.
   */
  answered: ((row: OutboxRow, verdict: Verdict) => Promise<void>) | null;
  /** A refusal came: what it tells of how things are now may be taken in. Absent: nobody looks here. */
  refusing?(row: OutboxRow, verdict: Verdict & { type: 'refused' }): Promise<void>;
  signedOut(revoked: boolean): void;
}
/** A fact from the server outranks these; what the user must decide, or was settled, stays. */
const OPEN: readonly RowState[] = ['held', 'sending', 'unknown'];
/** A receipt outranks these too: whatever was thought of the input, the server has it. */
const SETTLED: readonly RowState[] = [...OPEN, 'acked', 'expired', 'orphaned', 'refused'];
const UNHEARD = SETTLED.filter((state) => state !== 'acked');
/** The server has something of that id; whether it is these words, it is asked. */
const KNOWN: RowPatch = { state: 'unknown', code: null, reason: null };
const ORPHANED = 'The server was restored without it. Send it again?';

/** How a flush ended: nothing more may go now, something will be tried again, or another tab or worker is at it. */
export type Flushed = 'done' | 'trouble' | 'elsewhere';

export class Outbox {
  readonly #parts: OutboxParts;
  readonly #retries: Retries;
  /** Rows whose request is out, with what ends it early. */
  readonly #out = new Map<string, AbortController>();
  /** Acked rows that were looked up since the link is up. */
  readonly #checked = new Set<string>();
  /** Refused, with nobody here to be told. */
  readonly #left = new Set<string>();
  #running: Promise<Flushed> | null = null;
  #again = false;
  #waiting = false;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
    this.#retries = new Retries({ timers: parts.timers, random: parts.random, due: () => this.kick() });
  }

  /** The link came up: every wait is over, and what was acked before is looked up once. */
  linkUp(): void {
    this.#retries.clear();
    this.#checked.clear();
    this.kick();
  }
  /** Something may be ready. Calls while a flush runs are one more round of it. */
  kick(): void {
    void this.flush();
  }
  /** Resolves when nothing is out, and nothing more may go now. */
  flush(): Promise<Flushed> {
    this.#again = true;
    this.#running ??= this.#run()
      .catch((error: unknown) => {
        this.#parts.report('outbox.flush', { error });
        return 'trouble' as const;
      })
      .finally(() => {
        this.#running = null;
        if (this.#again && this.#parts.epoch() !== null) this.kick();
      });
    return this.#running;
  }
  /** Gives up what is out and every wait. */
  stop(): void {
    this.#retries.clear();
    for (const abort of this.#out.values()) abort.abort();
  }

  /** The server spoke of an input by socket: its row settles, and a request that still hangs is given up (I29). */
  async heard(inputId: string, receipt: Receipt | null): Promise<void> {
    const rows = await this.#parts.own.rows();
    const row = rows.find(({ id }) => id === inputId);
    if (receipt !== null && receipt.state !== 'pending') await this.#untell(rows, [inputId]);
    if (row === undefined || row.command.kind !== 'input' || saysOther(row, receipt?.content)) return;
    if (receipt !== null) await this.#settle(row, receipt);
    else if (row.code !== 'id-conflict') await this.#move(row, KNOWN, UNHEARD);
    this.#out.get(inputId)?.abort();
    this.kick();
  }
  /** These are in the mirror: the rows of prompts among them have done their work. */
  async retire(records: readonly LogRecord[]): Promise<void> {
    const prompts = new Map(
      records.flatMap((record) =>
        record.kind === 'chunk' && isChunk(record, 'prompt') ? [[record.id, record.data.content] as const] : [],
      ),
    );
    const rows = await this.#parts.own.rows();
    await this.#untell(rows, [...prompts.keys()]);
    const isDone = (row: OutboxRow): boolean => row.command.kind === 'input' && prompts.has(row.id) && !saysOther(row, prompts.get(row.id));
    const done = rows.filter(isDone).map(({ id }) => id);
    if (done.length === 0) return;
    await this.#parts.own.remove(done);
    for (const id of done) this.#out.get(id)?.abort();
    await this.#parts.changed();
    this.kick();
  }

  /** The copy of a session went past records that nobody told of: what became of its inputs meanwhile is looked up again. */
  async jumped(sessionId: string): Promise<void> {
    const rows = await this.#parts.own.rows();
    for (const row of rows) if (row.sessionId === sessionId) this.#checked.delete(row.id);
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

  async #run(): Promise<Flushed> {
    while (this.#again && this.#parts.epoch() !== null) {
      this.#again = false;
      if (this.#due(await this.#parts.own.rows()).length === 0) break;
      if (!(await this.#parts.lock.run((fence) => this.#batch(fence)))) {
        this.#whenItIsOurTurn();
        return 'elsewhere';
      }
    }
    const wanted = (await this.#parts.own.rows()).filter((row) => this.#wants(row));
    this.#retries.keep(new Set(wanted.map(({ id }) => id)));
    return this.#retries.some ? 'trouble' : 'done';
  }
  #whenItIsOurTurn(): void {
    if (this.#waiting) return;
    this.#waiting = true;
    void this.#parts.lock.turn().then(() => {
      this.#waiting = false;
      this.kick();
    });
  }
  #wants(row: OutboxRow): boolean {
    return row.state === 'held' || row.state === 'unknown' || row.state === 'sending' || this.#unchecked(row);
  }
  /** The server has it, and a page has not heard since what became of it. */
  #unchecked(row: OutboxRow): boolean {
    return row.state === 'acked' && this.#parts.answered !== null && !this.#checked.has(row.id);
  }
  #due(rows: readonly OutboxRow[]): OutboxRow[] {
    // Rows left in `sending` by a tab that died wait again once the lock's fence is drawn: they count as due here.
    const seen = rows.map((row) => (row.state === 'sending' && !this.#out.has(row.id) ? { ...row, state: 'held' as const } : row));
    const free = ({ id }: OutboxRow): boolean => !this.#out.has(id) && !this.#retries.waits(id) && !this.#left.has(id);
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
            this.#retries.failed(row.id);
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
    const isAcked = row.state === 'acked';
    // What may not go now is left alone for a while, whatever the reason: a flush never spins.
    if (row.command.kind === 'input' && !(await this.#mayGo(row, epoch, fence, signal))) return this.#retries.failed(row.id);
    const sending = { state: 'sending' as const, tries: row.tries + 1, attempted: row.attempted ?? epoch };
    if (!isAcked && !(await this.#move(row, sending, ['held', 'unknown'], fence))) return this.#retries.failed(row.id);
    // Read again: until this mark the user could change it, and what is sent must be what is kept.
    const kept = (await this.#parts.own.rows()).find(({ id }) => id === row.id);
    if (kept === undefined) return;
    const wasTried = row.attempted !== null;
    const { method, path, body } = isAcked ? againOf(kept) : orderOf(kept);
    const verdict = verdictOf(await this.#parts.http.ask(method, path, body, signal));
    this.#parts.lock.progress();
    await this.#judge(kept, await this.#asItIs(kept, verdict, wasTried && !isAcked, signal), { fence, wasTried, isAcked }, signal);
  }
  /** The same command again is answered as it was first: what has become of its input since, the input itself tells. */
  async #asItIs(row: OutboxRow, verdict: Verdict, wasTried: boolean, signal: AbortSignal): Promise<Verdict> {
    const about = inputOf(row.command);
    if (!wasTried || about === null || verdict.type !== 'done') return verdict;
    const now = verdictOf(await this.#parts.http.ask('GET', ROUTES.input(row.sessionId, about), undefined, signal));
    return now.type === 'refused' ? { type: 'done', receipt: null, value: null, epoch: now.epoch } : now;
  }
  async #judge(row: OutboxRow, verdict: Verdict, { fence, wasTried, isAcked }: Sent, signal: AbortSignal): Promise<void> {
    switch (verdict.type) {
      case 'trouble':
        if (isAcked || (await this.#move(row, { state: 'held' }, ['sending'], fence))) this.#retries.failed(row.id);
        return;
      case 'signed-out':
        await this.#move(row, { state: 'held', tries: row.tries - 1 }, ['sending'], fence);
        return this.#parts.signedOut(verdict.revoked);
      case 'done':
        this.#retries.over(row.id);
        if (row.command.kind === 'input' && verdict.receipt !== null) await this.#settle(row, verdict.receipt);
        return this.#done(row, verdict);
      case 'refused':
        return this.#refuse(row, verdict, wasTried, signal);
    }
  }
  async #done(row: OutboxRow, verdict: Verdict): Promise<void> {
    const { answered, own, changed } = this.#parts;
    if (answered === null) {
      if (row.command.kind !== 'input') await this.#mark(row, { state: 'acked' }, OPEN);
      return changed();
    }
    const stays = await this.#stays(row);
    // What the answer shows is in place before the row that stood for it goes.
    await answered(row, verdict);
    if (row.command.kind !== 'input' && !stays) await own.remove([row.id]);
    await changed();
  }
  /** A cancel that can be undone stays for a while, with the words: from now on as one that is done. */
  async #stays(row: OutboxRow): Promise<boolean> {
    if (row.command.kind !== 'cancel') return false;
    const now = (await this.#parts.own.rows()).find(({ id }) => id === row.id);
    const isUndoable = now?.command.kind === 'cancel' && now.command.kept !== undefined;
    return isUndoable && (await this.#move(row, { state: 'cancelled' }, [...OPEN, 'acked']));
  }
  async #refuse(row: OutboxRow, verdict: Verdict & { type: 'refused' }, wasTried: boolean, signal: AbortSignal): Promise<void> {
    const { answered } = this.#parts;
    if (row.command.kind === 'input' && wasTried && verdict.code !== 'id-conflict') {
      // An earlier try may have been accepted with its answer lost: the receipt tells, before a refusal is shown.
      const found = verdictOf(await this.#look(row, signal));
      if (found.type === 'done') return this.#settle(row, found.receipt);
      if (found.type !== 'refused') {
        await this.#move(row, { state: 'unknown' }, ['sending']);
        return found.type === 'signed-out' ? this.#parts.signedOut(found.revoked) : this.#retries.failed(row.id);
      }
    }
    this.#retries.over(row.id);
    if (row.command.kind !== 'input' && answered === null) {
      this.#left.add(row.id);
      await this.#move(row, { state: 'held' }, OPEN);
      return;
    }
    // What it was refused for is in place before the row says so.
    await this.#parts.refusing?.(row, verdict);
    const state = verdict.code === 'session-deleted' ? 'orphaned' : 'refused';
    await this.#move(row, { state, code: verdict.code, reason: verdict.message }, [...OPEN, ...ackedUnless(row)]);
    await answered?.(row, verdict);
  }

  #look(row: OutboxRow, signal: AbortSignal) {
    return this.#parts.http.ask('GET', ROUTES.input(row.sessionId, row.id), undefined, signal);
  }
  /** Looks up what was attempted where that matters, and asks the user where only they can say. True: send it. */
  async #mayGo(row: OutboxRow, epoch: string, fence: number, signal: AbortSignal): Promise<boolean> {
    const restored = row.attempted !== null && row.attempted !== epoch;
    // Also one that was never tried: the answer tells the server's time, and this clock may have jumped since that was last heard (I35).
    const looksOld = isExpired(row, this.#parts.clockFacts());
    if (row.state === 'acked' || row.state === 'unknown' || restored || looksOld) {
      if (row.state === 'held' && row.attempted !== null) await this.#move(row, { state: 'unknown' }, ['held'], fence);
      const verdict = verdictOf(await this.#look(row, signal));
      if (verdict.type === 'trouble') return false;
      if (verdict.type === 'signed-out') return (this.#parts.signedOut(verdict.revoked), false);
      this.#checked.add(row.id);
      if (verdict.type === 'done' && saysOther(row, verdict.receipt?.content)) return true;
      if (verdict.type === 'done') return (await this.#settle(row, verdict.receipt), false);
      if (row.state === 'acked' || restored || verdict.code === 'session-deleted') {
        const reason = verdict.code === 'session-deleted' ? verdict.message : ORPHANED;
        await this.#move(row, { state: 'orphaned', code: verdict.code, reason }, [...OPEN, 'acked']);
        return false;
      }
    }
    if (!isExpired(row, this.#parts.clockFacts())) return true;
    await this.#move(row, { state: 'expired' }, OPEN, fence);
    return false;
  }

  /** The server has it: what its receipt says becomes of the row. */
  async #settle(stale: OutboxRow, receipt: Receipt | null): Promise<void> {
    const row = (await this.#parts.own.rows()).find(({ id }) => id === stale.id);
    // Under an id that is taken there by other words, the receipt is about those.
    if (receipt === null || row?.command.kind !== 'input' || row.code === 'id-conflict') return;
    this.#checked.add(row.id);
    this.#retries.over(row.id);
    if (receipt.state === 'cancelled') await this.#mark(row, { state: 'cancelled', code: null, ...wordsAtLast(row, receipt) }, SETTLED);
    else if (receipt.state === 'promoted' && (await this.#parts.isMirrored(row.id, receipt))) await this.#parts.own.remove([row.id]);
    else {
      const code = toldOf(row, receipt);
      if (row.state === 'acked' && row.code === code && row.command.delivery === receipt.delivery) return;
      await this.#mark(row, { state: 'acked', code, reason: null, command: { ...row.command, delivery: receipt.delivery } }, SETTLED);
    }
    await this.#parts.changed();
  }
}

/** What a request was made under. */
interface Sent {
  fence: number;
  /** Not the first try: an earlier one may have been accepted, and its answer lost. */
  wasTried: boolean;
  /** The server had it, and was asked again for a page to take in. */
  isAcked: boolean;
}
/** A command is refused also when that turns out only as it is asked again; an input that is accepted is not. */
function ackedUnless(row: OutboxRow): readonly RowState[] {
  return row.command.kind === 'input' ? [] : ['acked'];
}

/**
 * Another window may have sent the same prompt before its words were changed here: only the answer to this row says what becomes
 * of these (law 3). What the server has of it may have been changed since.
 */
function saysOther(row: OutboxRow, said: readonly ContentPart[] | undefined): boolean {
  if (row.command.kind !== 'input' || row.state === 'acked' || said === undefined) return false;
  return JSON.stringify(row.command.content) !== JSON.stringify(said);
}

/** What its author is told of an input that the server has: a steer that was queued by the server, and by nobody since. */
function toldOf(row: OutboxRow, receipt: Receipt): string | null {
  if (row.command.kind !== 'input' || receipt.rev > 1) return null;
  if (row.state === 'acked') return row.code;
  const asked = row.command.delivery === 'steer' && row.command.aimedTurnId !== undefined;
  return asked && receipt.delivery === 'queue' ? 'other-turn' : null;
}

/** What it said when it was cancelled: an edit of it may have come first, and those words are kept nowhere else (law 3). */
function wordsAtLast(row: OutboxRow, { content }: Receipt): RowPatch {
  if (row.command.kind !== 'input' || row.state !== 'acked' || content.length === 0) return {};
  return { command: { ...row.command, content } };
}
