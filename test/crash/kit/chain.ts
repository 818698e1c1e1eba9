/**
 * A chain of lives of one server: each is started on what the one before left, used, and killed at a point that the plan
 * names, or at a random instant. After each death the disk is held against the laws, after each start what is shown.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isChunk, isEvent, type LogRecord } from '#shared/protocol/records.ts';
import type { Random } from '#shared/ports.ts';
import { seededRandom } from '../../support/store-harness.ts';
import { doubleModel } from '../../wire/double.ts';
import { breachesOf } from './log-laws.ts';
import { CrashModel } from './model.ts';
import { nameOf, type Aim, type Cause } from './points.ts';
import { CrashServer } from './process.ts';
import { breachesOnDisk, leftOnDisk } from './rows.ts';
import { SEED } from './seed.ts';
import { User } from './user.ts';
import { Witness, type SeenSession } from './witness.ts';
import { provoke, wander } from './work.ts';

/** A point that is not reached within this is given up, and the server killed at that instant. */
const REACH_WITHIN = 15_000;
/** What a cut turn leads to comes at once or not at all. */
const RECOVERED_WITHIN = 3_000;
/** By then everything that can run has run. */
const QUIET_WITHIN = 60_000;

export interface Life {
  aim: Aim;
  hit: number;
}

export class Chain {
  readonly server: CrashServer;
  readonly model: CrashModel;
  readonly witness = new Witness();
  readonly user: User;
  readonly random: Random;
  /** Where it was killed, in order. */
  readonly kills: string[] = [];
  /** How often everything came to rest. */
  rests = 0;
  /** Points at which a life ended. */
  readonly reached = new Set<string>();

  private constructor(seed: number, program: string, model: CrashModel) {
    this.model = model;
    this.random = seededRandom(seed);
    this.server = new CrashServer(program, {
      ANTHROPIC_BASE_URL: model.double.url,
      ANTHROPIC_API_KEY: 'sk-test',
      CAIRN_WIRE: 'anthropic',
      CAIRN_MODEL: doubleModel().id,
    });
    this.user = new User(this.server, this.witness, this.random);
  }
  static async begin(seed: number, program: string): Promise<Chain> {
    return new Chain(seed, program, await CrashModel.start(seed));
  }
  async dispose(): Promise<void> {
    this.user.leave();
    await this.server.dispose();
    await this.model.double.close();
  }

  /** Runs `work`; what goes wrong in it tells the seed and every kill so far. */
  async told<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const kills = this.kills.map((kill, n) => `${n}: ${kill}`).join('\n  ');
      const message = error instanceof Error ? error.message : String(error);
      throw new Error(`CAIRN_CRASH_SEED=${SEED}, in ${this.server.dataFolder}, killed at\n  ${kills}\n${message}\n${this.server.errors}`, {
        cause: error,
      });
    }
  }

  /** One life that ends at its aim: true if it was reached. One in recovery needs a life before it that left a turn cut: two kills. */
  async live({ aim, hit }: Life): Promise<boolean> {
    if (aim.cause === 'cut') await this.#one({ aim: { point: 'attempt:event', cause: 'prompt' }, hit: 2 });
    return this.#one({ aim, hit });
  }
  async #one({ aim, hit }: Life): Promise<boolean> {
    const plan = `${aim.point}#${hit}`;
    const end = Date.now() + (aim.cause === 'cut' ? RECOVERED_WITHIN : REACH_WITHIN);
    if (await this.#start(plan)) {
      await wander(this, 1 + Math.floor(this.random.unit() * 3));
      while (this.server.alive && Date.now() < end) await provoke(this, aim.cause);
    }
    const reached = this.server.diedAt !== null;
    if (reached) this.reached.add(nameOf(aim));
    await this.died(reached ? `${plan} (${aim.cause})` : `${plan} (${aim.cause}) was not reached: an instant`);
    return reached;
  }
  /** One life that ends `ms` after it serves, in the middle of whatever goes on. */
  async liveFor(ms: number): Promise<void> {
    const end = Date.now() + ms;
    await this.#start('');
    const dying = sleep(ms).then(() => this.server.kill());
    while (Date.now() < end && this.server.alive) await wander(this, 1);
    await dying;
    await this.died(`${ms} ms`);
  }

  /** One life in which the disk fails at each of these moments, and which goes on. */
  async failAt(points: readonly string[], causes: readonly Cause[]): Promise<void> {
    await this.#start(points.map((point) => `!${point}`).join());
    const met = (): boolean => this.server.failures === points.length;
    for (const end = Date.now() + REACH_WITHIN; !met() && Date.now() < end;) {
      for (const cause of causes) await provoke(this, cause);
      await this.user.comeBack();
    }
    if (!met()) throw new Error(`not every fault was met: ${points.join()}`);
    await this.user.comeBack();
  }

  async #start(plan: string): Promise<boolean> {
    if (!this.server.alive && !(await this.server.start(plan))) return false;
    await this.user.comeBack();
    return this.server.alive;
  }
  /** The end of a life: what it left on the disk is held against the laws. */
  async died(how: string): Promise<void> {
    this.kills.push(how);
    await this.server.kill();
    this.user.leave();
    this.#expect(breachesOnDisk(this.server.dataFolder, this.witness));
  }
  #expect(breaches: readonly string[]): void {
    const bad = [...breaches, ...this.witness.faults, ...this.model.wrong, ...this.#ranTwice()];
    if (bad.length > 0) throw new Error(bad.slice(0, 20).join('\n'));
  }

  /**
   * With no plan (started, if it is not running): lets everything that can run come to its end, first with nobody there who
   * could ring, then with those who come back, and checks all there is.
   */
  async quiet(): Promise<void> {
    if (!this.server.alive) {
      await this.server.start('');
      await this.#rest();
      await this.user.comeBack();
    }
    await this.#rest();
    const bad: string[] = [];
    for (const session of this.witness.living) bad.push(...(await this.#ofShown(session)));
    this.#expect(bad);
    this.rests += 1;
    await this.server.kill();
    this.user.leave();
    this.#expect([...breachesOnDisk(this.server.dataFolder, this.witness), ...leftOnDisk(this.server.dataFolder)]);
  }
  async #rest(): Promise<void> {
    for (const end = Date.now() + QUIET_WITHIN; ;) {
      const busy = await this.#busy();
      if (busy.length === 0) return;
      if (Date.now() > end) throw new Error(`law 13: still not at rest: ${busy.join('; ')}`);
      await sleep(25);
    }
  }

  /** What does not rest yet. Nothing but the user's part is done here: pending input has to wake by itself. */
  async #busy(): Promise<string[]> {
    const busy: string[] = [];
    for (const session of this.witness.living) {
      const now = await this.user.timeline(session);
      if (now === null) continue;
      const { status, paused } = now.session;
      for (const approval of now.approvals) await this.user.decide(session, approval, this.user.chance(0.7) ? 'allow' : 'deny');
      const held = now.pendingInputs.length > 0 && now.pendingInputs.every((receipt) => session.input(receipt.id).quiet);
      if (status === 'paused' || (status === 'idle' && held)) await this.user.resume(session);
      if (status === 'idle' && paused === null && now.pendingInputs.length === 0) continue;
      busy.push(`${session.id} is ${status}, ${now.pendingInputs.length} pending, head ${now.head}`);
    }
    return busy;
  }

  /** Of a session at rest, as a client sees it. */
  async #ofShown(session: SeenSession): Promise<string[]> {
    const shown = await this.user.log(session);
    if (shown === null) return [`${session.id} cannot be read`];
    const { records } = shown;
    const bad = breachesOf(records, null, session.copied);
    if (shown.session.head !== records.length) bad.push(`law 16: head is ${shown.session.head} of ${records.length}`);
    for (const input of session.inputs.values()) {
      const prompt = records.some((record) => record.id === input.id);
      if (input.accepted && !input.cancelled && !prompt && !wasCancelled(records, input.id))
        bad.push(`law 1: ${input.id} was accepted and never ran`);
    }
    for (const [approval, decision] of session.decided) {
      const kept = records.find((record) => isEvent(record, 'approval-decided') && record.data.approvalId === approval);
      if (kept === undefined || !isEvent(kept, 'approval-decided') || kept.data.decision !== decision)
        bad.push(`law 2: the ${decision} to ${approval} is gone`);
    }
    return [...bad, ...this.#ofMarks(records)];
  }

  /** What a result says of a command is what the disk says (law 16, I18). */
  #ofMarks(records: readonly LogRecord[]): string[] {
    const ran = this.#ran();
    return records.flatMap((record) => {
      if (record.kind !== 'chunk' || !isChunk(record, 'tool_result')) return [];
      const mark = this.model.marks.get(record.data.callId);
      if (mark === undefined) return [];
      const times = ran.filter((line) => line === mark).length;
      const { outcome } = record.data;
      const right = outcome === undefined ? times === 1 : outcome === 'interrupted' ? times <= 1 : times === 0;
      return right ? [] : [`I18: ${mark} ran ${times} times and its result says ${outcome ?? 'it ended'}`];
    });
  }
  #ranTwice(): string[] {
    const ran = this.#ran();
    return new Set(ran).size === ran.length
      ? []
      : [`I18: a command ran twice: ${ran.filter((line, at) => ran.indexOf(line) !== at).join()}`];
  }
  #ran(): string[] {
    const file = join(this.server.workspace, 'ran.txt');
    if (existsSync(join(this.server.workspace, 'never.txt'))) throw new Error('B27: a command ran whose arguments were cut');
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  }
}

function wasCancelled(records: readonly LogRecord[], id: string): boolean {
  return records.some((record) => isEvent(record, 'cancelled') && record.data.inputId === id);
}
