/**
 * The model behind the crash tests: the strict double, answering as the newest prompt wishes (`wish=…`), and keeping what
 * it was sent, session by session (law 11).
 */
import type { Random } from '#shared/ports.ts';
import { seededRandom } from '../../support/store-harness.ts';
import { blocksOf, wireLines, type WireBody } from '../../wire/lines.ts';
import { startDouble, type Double, type DoubleRequest, type Reply } from '../../wire/double.ts';

export const WISHES = ['say', 'slow', 'think', 'run', 'long', 'side', 'chain', 'fault', 'cut', 'drop', 'args'] as const;
export type Wish = (typeof WISHES)[number];

export function promptText(session: string, wish: Wish, n: number): string {
  return `s=${session} wish=${wish} n=${n}. Please.`;
}

export class CrashModel {
  readonly double: Double;
  readonly #seed: number;
  /** Requests so far, and the lines of the last one, by session. */
  readonly #sent = new Map<string, { count: number; lines: string[] }>();
  readonly #faulted = new Set<string>();
  /** Commands that were asked for, by the id of their call: each writes its mark into `ran.txt`. */
  readonly marks = new Map<string, string>();
  /** What was wrong with a request. */
  readonly breaches: string[] = [];

  private constructor(double: Double, seed: number) {
    this.double = double;
    this.#seed = seed;
    double.script = (request, reply) => this.#answer(request, reply);
  }
  static async start(seed: number): Promise<CrashModel> {
    return new CrashModel(await startDouble(), seed);
  }

  /** Everything that broke a rule of the wire: the provider's own, or law 11. */
  get wrong(): string[] {
    return [...this.double.log.flatMap((entry) => entry.breaches), ...this.breaches];
  }

  async #answer(request: DoubleRequest, reply: Reply): Promise<void> {
    const session = sessionOf(request.body);
    const count = this.#grown(session, wireLines(request.body));
    const random = seededRandom(this.#seed ^ Number.parseInt(session.slice(-7), 16) ^ count);
    const wish = /wish=(\w+)/.exec(request.prompt)?.[1] as Wish | undefined;
    // Told of an interruption, it sometimes asks for one more tool, so that a turn which goes on has one to lose again.
    if (wish === undefined)
      return request.round === 0 && random.unit() < 0.3 ? this.#tool(session, reply, 0.05) : reply.text('So I went on. ');
    const rounds = wish === 'chain' ? 3 : 1;
    if (request.round >= rounds) return reply.text(`Done after ${request.round}. `);
    await this.#fulfil(wish, session, request, reply, random);
  }

  async #fulfil(wish: Wish, session: string, request: DoubleRequest, reply: Reply, random: Random): Promise<void> {
    switch (wish) {
      case 'say':
        return reply.text('A short answer of a few words. ');
      case 'slow':
        return reply.text('slow '.repeat(60), { wait: 15 });
      case 'think':
        await reply.thinking('I weigh this and that. '.repeat(8), { wait: 2 });
        return reply.text('Weighed. ');
      case 'run':
        await reply.text('I run it. ');
        return this.#tool(session, reply, 0.02 + random.unit() * 0.1);
      case 'long':
        return this.#tool(session, reply, 1.5);
      case 'side':
        await reply.tool('list', {});
        await this.#tool(session, reply, 0.2);
        await reply.tool('list', { path: '.' });
        return this.#tool(session, reply, 0.05);
      case 'chain':
        await reply.thinking(`Round ${request.round}. `);
        return this.#tool(session, reply, 0.02);
      case 'fault':
        if (this.#faulted.has(request.prompt)) return reply.text('It works again. ');
        this.#faulted.add(request.prompt);
        return reply.fail(529, 'overloaded_error', 'Overloaded', { 'retry-after-ms': '60' });
      case 'cut':
        await reply.text('The first half ');
        return reply.error();
      case 'drop':
        await reply.text('The first half ', { wait: 2 });
        return reply.drop();
      case 'args':
        await reply.text('I try a long command. ');
        await reply.tool('run', { command: `echo never >> never.txt # ${'x'.repeat(200)}` }, { cut: 150, wait: 2 });
        return reply.end('max_tokens');
    }
  }

  /** A command that writes a mark of its own, says a few lines, and takes `seconds`. */
  async #tool(session: string, reply: Reply, seconds: number): Promise<void> {
    const mark = `m${this.marks.size}-${session.slice(-6)}`;
    const id = `toolu_${mark}`;
    this.marks.set(id, mark);
    const pause = (seconds / 4).toFixed(3);
    await reply.tool('run', { command: `echo ${mark} >> ran.txt; for n in 1 2 3 4; do echo line $n; sleep ${pause}; done` }, { id });
  }

  /** Law 11. Answers how many requests the session has sent before. */
  #grown(session: string, lines: string[]): number {
    const before = this.#sent.get(session) ?? { count: 0, lines: [] };
    const at = before.lines.findIndex((line, n) => line !== lines[n]);
    if (at >= 0)
      this.breaches.push(
        `law 11: request ${before.count} of ${session} says "${lines[at]?.slice(0, 200)}" where "${before.lines[at]!.slice(0, 200)}" was`,
      );
    this.#sent.set(session, { count: before.count + 1, lines });
    return before.count;
  }
}

/** Every prompt names its session; in a fork, the copied ones name another. */
function sessionOf(body: WireBody): string {
  const words = body.messages.flatMap(blocksOf).map((block) => (block.type === 'text' ? String(block['text']) : ''));
  const found = words.map((text) => /s=([0-9a-f-]{36})/.exec(text)?.[1]).findLast((id) => id !== undefined);
  if (found === undefined) throw new Error('a request of no session');
  return found;
}
