/**
 * The users of a server that keeps dying. A command whose answer was lost is sent again, the same to the byte, after the next
 * start, until it is answered: as the app's outbox does.
 */
import type { Approval, Receipt, SessionSummary, Timeline } from '#shared/protocol/summaries.ts';
import type { DownFrame } from '#shared/protocol/frames.ts';
import type { LiveClient } from '../../support/live-client.ts';
import type { Random } from '#shared/ports.ts';
import { newId } from '#shared/ids.ts';
import { promptText, type Wish } from './model.ts';
import type { CrashServer } from './process.ts';
import { SeenSession, type Witness } from './witness.ts';

interface Command {
  method: string;
  path: string;
  body: Record<string, unknown>;
  /** Statuses that are right, now or on a retry. */
  right: readonly number[];
  /** Told of the answer. */
  answered(status: number, body: unknown): void;
}

export class User {
  readonly #server: CrashServer;
  readonly #witness: Witness;
  readonly #random: Random;
  /** Lost answers, in the order of their commands. */
  #lost: Command[] = [];
  /** First answers to commands that had an id. */
  #first: { command: Command; answer: string }[] = [];
  #socket: LiveClient | null = null;
  #prompts = 0;

  constructor(server: CrashServer, witness: Witness, random: Random) {
    this.#server = server;
    this.#witness = witness;
    this.#random = random;
  }
  id(): string {
    return newId({ now: () => Date.now() }, this.#random);
  }
  chance(share: number): boolean {
    return this.#random.unit() < share;
  }
  one<T>(of: readonly T[]): T | undefined {
    return of[Math.floor(this.#random.unit() * of.length)];
  }

  // ---- after a start

  /** Looks on again from where the socket was, sends again what was not answered, and asks for some first answers once more. */
  async comeBack(): Promise<void> {
    this.#socket?.close();
    const socket = (this.#socket = await this.#server.look());
    if (socket === null) return;
    socket.onframe = (frame) => {
      try {
        this.#frame(frame);
      } catch (error) {
        this.#witness.faults.push(error instanceof Error ? error.message : String(error));
      }
    };
    const { epoch } = socket.of('welcome')[0]!;
    if (this.#witness.epoch !== null && this.#witness.epoch !== epoch) throw new Error('the epoch is another one after a restart');
    this.#witness.epoch = epoch;
    for (const session of this.#witness.living) this.#subscribe(session);
    const lost = this.#lost;
    this.#lost = [];
    for (const command of lost) await this.#send(command);
    for (let n = 0; n < 2; n++) await this.#askAgain();
  }
  #frame(frame: DownFrame): void {
    if (frame.type === 'records') this.#witness.replayed(frame.records);
    if (frame.type === 'input') this.#witness.receipt(frame.receipt, 'frame');
    if (frame.type === 'reset' || frame.type === 'gap')
      throw new Error(`law 8: ${frame.type} for ${frame.sessionId}, whose history nobody touched`);
  }
  #subscribe(session: SeenSession): void {
    if (this.#socket?.closed === null) this.#socket.subscribe(session.id, { ...session.cursor, epoch: this.#witness.epoch });
  }
  /** What the socket has told so far counts as shown, also when the server is dead by now. */
  leave(): void {
    this.#socket?.close();
    this.#socket = null;
  }
  async #askAgain(): Promise<void> {
    const asked = this.one(this.#first);
    if (asked === undefined) return;
    const { method, path, body } = asked.command;
    const again = await this.#server.call(method, path, body);
    if (again === null || again.status === 410) return;
    if (JSON.stringify(again.body) !== asked.answer)
      throw new Error(`law 1: ${method} ${path} was answered ${asked.answer} and is answered ${JSON.stringify(again.body)}`);
  }

  async #send(command: Command): Promise<boolean> {
    const answer = await this.#server.call(command.method, command.path, command.body);
    if (answer === null) {
      this.#lost.push(command);
      return false;
    }
    if (!command.right.includes(answer.status)) {
      throw new Error(
        `${command.method} ${command.path} ${JSON.stringify(command.body)} → ${answer.status} ${JSON.stringify(answer.body)}`,
      );
    }
    command.answered(answer.status, answer.body);
    if ('commandId' in command.body && answer.status === 200) this.#first.push({ command, answer: JSON.stringify(answer.body) });
    return true;
  }

  // ---- what users do

  async create(mode: string): Promise<SeenSession> {
    const session = new SeenSession(this.id(), mode, false);
    await this.#make(session, {}, [200, 201]);
    return session;
  }
  /** From a moment at which no turn was open, as far as this user knows. */
  async fork(origin: SeenSession, seq = this.one(origin.ends)): Promise<void> {
    if (seq === undefined) return;
    await this.#make(new SeenSession(this.id(), origin.mode, true), { origin: { sessionId: origin.id, seq } }, [200, 201, 410]);
  }
  async #make(session: SeenSession, more: Record<string, unknown>, right: number[]): Promise<void> {
    this.#witness.sessions.set(session.id, session);
    const body = { workspace: this.#server.workspace, mode: session.mode, ...more };
    await this.#send({
      method: 'PUT',
      path: `/sessions/${session.id}`,
      body,
      right,
      answered: (status, made) => {
        if (status === 410) return;
        session.accepted = true;
        session.copied = (made as SessionSummary).head;
        this.#subscribe(session);
      },
    });
  }
  async change(session: SeenSession): Promise<void> {
    const body = { title: `t${this.#prompts++}`, commandId: this.id() };
    await this.#send({ method: 'PATCH', path: `/sessions/${session.id}`, body, right: [200, 410], answered: () => undefined });
  }
  async remove(session: SeenSession): Promise<void> {
    session.deleting = true;
    const body = { commandId: this.id() };
    await this.#send({ method: 'DELETE', path: `/sessions/${session.id}`, body, right: [200], answered: () => (session.gone = true) });
  }

  async prompt(
    session: SeenSession,
    wish: Wish,
    delivery: 'steer' | 'queue',
    more: { resume?: boolean; seenSeq?: number } = {},
  ): Promise<string> {
    const input = session.input(this.id());
    input.quiet = more.resume === false;
    const content = [{ type: 'text', text: promptText(session.id, wish, this.#prompts++) }];
    await this.#send({
      method: 'PUT',
      path: `/sessions/${session.id}/inputs/${input.id}`,
      body: { content, delivery, composedAt: Date.now(), ...more },
      right: [200, 201, 410],
      answered: (status, body) => {
        if (status === 410) return;
        input.accepted = true;
        this.#witness.receipt(body as Receipt, 'answer');
      },
    });
    return input.id;
  }
  /** New words, another place, or the other delivery. */
  async edit(session: SeenSession, inputId: string): Promise<void> {
    const behind = this.one(session.pending.filter((id) => id !== inputId)) ?? null;
    const kinds = [
      { content: [{ type: 'text', text: promptText(session.id, 'run', this.#prompts++) }] },
      { delivery: 'steer' },
      { delivery: 'queue' },
      { after: behind },
    ];
    const body = { ...this.one(kinds), commandId: this.id() };
    await this.#send({
      method: 'PATCH',
      path: `/sessions/${session.id}/inputs/${inputId}`,
      body,
      right: [200, 400, 404, 409, 410],
      answered: (status, answer) => status === 200 && this.#witness.receipt(answer as Receipt, 'answer'),
    });
  }
  async cancel(session: SeenSession, inputId: string): Promise<void> {
    const input = session.input(inputId);
    await this.#send({
      method: 'DELETE',
      path: `/sessions/${session.id}/inputs/${inputId}`,
      body: { commandId: this.id() },
      right: [200, 409, 410],
      answered: (status, answer) => {
        if (status !== 200) return;
        input.cancelled = true;
        this.#witness.receipt(answer as Receipt, 'answer');
      },
    });
  }
  async stop(session: SeenSession): Promise<void> {
    await this.#send({
      method: 'POST',
      path: `/sessions/${session.id}/interrupt`,
      body: { commandId: this.id() },
      right: [200, 410],
      answered: () => undefined,
    });
  }
  async resume(session: SeenSession): Promise<void> {
    await this.#send({
      method: 'POST',
      path: `/sessions/${session.id}/resume`,
      body: { commandId: this.id() },
      right: [200, 410],
      answered: () => undefined,
    });
  }
  async decide(session: SeenSession, approval: Approval, decision: 'allow' | 'deny'): Promise<void> {
    await this.#send({
      method: 'PUT',
      path: `/sessions/${session.id}/approvals/${approval.id}`,
      body: { decision, commandId: this.id() },
      right: [200, 410],
      answered: (status) => status === 200 && session.decided.set(approval.id, decision),
    });
  }

  // ---- what users see

  /** Null: it died, or the session is gone. */
  async timeline(session: SeenSession): Promise<Timeline | null> {
    const answer = await this.#server.call<Timeline>('GET', `/sessions/${session.id}/timeline?limit=200`);
    if (answer === null || (answer.status === 410 && session.deleting)) return null;
    if (answer.status !== 200) throw new Error(`the timeline of ${session.id} → ${answer.status} ${JSON.stringify(answer.body)}`);
    this.#witness.records(answer.body.records);
    for (const receipt of answer.body.pendingInputs) this.#witness.receipt(receipt, 'answer');
    return answer.body;
  }
  async log(session: SeenSession): Promise<{ records: Timeline['records']; session: SessionSummary } | null> {
    const records: Timeline['records'] = [];
    for (;;) {
      const page = await this.#server.call<{ records: Timeline['records']; head: number }>(
        'GET',
        `/sessions/${session.id}/log?after=${records.length}`,
      );
      if (page === null || page.status !== 200) return null;
      records.push(...page.body.records);
      this.#witness.records(page.body.records);
      if (records.length >= page.body.head || page.body.records.length === 0) break;
    }
    const now = await this.timeline(session);
    return now === null ? null : { records, session: now.session };
  }
}
