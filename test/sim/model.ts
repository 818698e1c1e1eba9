/** The scripted model and its tools: they answer, stream for long, call tools, fail, fall silent, as chance has it, in simulated time. */
import type { Timers } from '#shared/ports.ts';
import type { StepEvent } from '#shared/protocol/agent-events.ts';
import { ProviderError, type Agent, type StepAnswer, type StepRequest } from '../../server/agent/port.ts';
import type { Tool, Toolbox, ToolContext, ToolEnd } from '../../server/tools/port.ts';
import { Chance } from './chance.ts';

const USAGE = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, model: 'scripted' };
export const SOURCE = 'scripted-source';
export const WORKSPACE = '/work';
/** What an attempt may do, and how often. */
const MOODS = {
  answer: 26,
  thinks: 8,
  long: 7,
  tool: 20,
  tools: 8,
  'no-such-tool': 1,
  fails: 4,
  'fails-late': 4,
  'fails-for-good': 2,
  refuses: 1,
  empty: 2,
  cut: 2,
  silent: 3,
} as const;
export type Mood = keyof typeof MOODS;
/** A provider that says nothing is given up after this long, as the real adapter does. */
const SILENCE = 90_000;

export interface ModelParts {
  seed: number;
  timers: Timers;
  /** Its attempts so far, over all lives of the server: the stream that the next draws from. */
  count(): number;
  /** All goes well from now on. */
  healed(): boolean;
  attempted(request: StepRequest): void;
  mood(mood: Mood): void;
}

/** Rejects once aborted, as everything that waits in here must. */
function wait(timers: Timers, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      cancel();
      reject(new Error('aborted'));
    };
    const cancel = timers.after(ms, () => {
      signal.removeEventListener('abort', abort);
      resolve();
    });
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

export function scriptedAgent(parts: ModelParts): Agent {
  return {
    label: 'a scripted model',
    demo: false,
    source: SOURCE,
    defaultModel: 'scripted',
    models: () => Promise.resolve([{ id: 'scripted', name: 'Scripted', efforts: [] }]),
    header: (tools) => ({ system: 'You are scripted.', tools: tools.map(({ name }) => ({ name })) }),
    attempt(request, signal, emit) {
      parts.attempted(request);
      const chance = new Chance(parts.seed, 'model', parts.count());
      const mood = parts.healed() ? 'answer' : chance.weighted(MOODS);
      parts.mood(mood);
      return new Attempt(parts.timers, request, signal, emit, chance).run(mood, parts.healed());
    },
    close: () => Promise.resolve(),
  };
}

class Attempt {
  #next = 0;
  readonly #timers: Timers;
  readonly #request: StepRequest;
  readonly #signal: AbortSignal;
  readonly #emit: (event: StepEvent) => void;
  readonly #chance: Chance;
  constructor(timers: Timers, request: StepRequest, signal: AbortSignal, emit: (event: StepEvent) => void, chance: Chance) {
    this.#timers = timers;
    this.#request = request;
    this.#signal = signal;
    this.#emit = emit;
    this.#chance = chance;
  }

  async run(mood: Mood, soon: boolean): Promise<StepAnswer> {
    const chance = this.#chance;
    await this.#pause(soon ? 1 : chance.whole(1, 300));
    switch (mood) {
      case 'answer':
        await this.#say(chance.whole(1, 4), soon ? 1 : 120);
        return this.#end('end_turn');
      case 'thinks':
        await this.#think();
        await this.#say(2, 50);
        return this.#end('end_turn');
      case 'long':
        await this.#say(chance.whole(10, 30), 400);
        return this.#end('end_turn');
      case 'tool':
      case 'tools':
      case 'no-such-tool': {
        if (chance.is(0.5)) await this.#say(1, 30);
        const count = mood === 'tools' ? chance.whole(2, 4) : 1;
        for (let at = 0; at < count; at++) this.#call(mood === 'no-such-tool' ? 'nothing' : chance.pick(['look', 'note', 'shell'])!);
        return this.#end('tool_use');
      }
      case 'fails':
        throw new ProviderError('overloaded', 'overloaded', { retryable: true, status: 529 });
      case 'fails-late':
        await this.#say(2, 60);
        this.#emit({ type: 'text-delta', i: this.#next, text: 'and then' });
        await this.#pause(20);
        throw new ProviderError('connection', 'the connection was lost', { retryable: true });
      case 'fails-for-good':
        throw new ProviderError('invalid-request', 'it will never work', { retryable: false, status: 400 });
      case 'refuses':
        return this.#end('refusal');
      case 'empty':
        return this.#end('end_turn');
      case 'cut':
        await this.#say(2, 30);
        return this.#end('max_tokens');
      case 'silent':
        await this.#pause(SILENCE);
        throw new ProviderError('silence', 'the provider said nothing', { retryable: true });
    }
  }
  #pause(ms: number): Promise<void> {
    return wait(this.#timers, ms, this.#signal);
  }
  async #say(pieces: number, apart: number): Promise<void> {
    const i = this.#next++;
    for (let at = 0; at < pieces; at++) {
      this.#emit({ type: 'text-delta', i, text: `${this.#chance.pick(['stone', 'cairn', 'trail', 'ridge'])} ${at}. ` });
      await this.#pause(this.#chance.whole(1, apart));
    }
    this.#emit({ type: 'text-end', i });
  }
  async #think(): Promise<void> {
    const i = this.#next++;
    this.#emit({ type: 'thinking-delta', i, text: 'let me see' });
    await this.#pause(30);
    this.#emit({ type: 'thinking-end', i, signature: 'signed' });
  }
  #call(name: string): void {
    const i = this.#next++;
    this.#emit({ type: 'tool-call-start', i, callId: `call_${this.#request.records.length}_${i}`, name });
    this.#emit({ type: 'tool-call-args', i, text: JSON.stringify({ command: 'true' }) });
    this.#emit({ type: 'tool-call-end', i });
  }
  #end(stop: StepAnswer['stop']): StepAnswer {
    return { stop, detail: null, usage: USAGE, thinkingOff: false };
  }
}

/** `look` reads, `note` writes, `shell` runs: a quick one, one that fails, and one that takes its time. */
export function scriptedToolbox(seed: number, timers: Timers, ran: () => number): Toolbox {
  const tool = (name: string, effect: Tool['effect'], run: (context: ToolContext, chance: Chance) => Promise<ToolEnd>): Tool => ({
    name,
    description: name,
    inputSchema: { type: 'object', properties: {} },
    effect,
    summary: () => name,
    async run(_args, context) {
      try {
        return await run(context, new Chance(seed, 'tool', ran()));
      } catch {
        // Only an abort ends one early.
        context.output('result', 'Stopped.');
        return { isError: true, outcome: 'interrupted' };
      }
    },
  });
  const tools = [
    tool('look', 'read', async (context, chance) => {
      await wait(timers, chance.whole(1, 40), context.signal);
      context.output('result', 'seen');
      return { isError: chance.is(0.2) };
    }),
    tool('note', 'write', async (context, chance) => {
      await wait(timers, chance.whole(1, 200), context.signal);
      context.output('result', 'noted');
      return { isError: false };
    }),
    tool('shell', 'run', async (context, chance) => {
      const lines = chance.whole(1, 6);
      for (let at = 0; at < lines; at++) {
        await wait(timers, chance.whole(1, 700), context.signal);
        context.output('stdout', `line ${at}\n`);
      }
      context.output('result', `${lines} lines`);
      return { isError: false, exitCode: 0 };
    }),
  ];
  return {
    tools,
    find: (name) => tools.find((one) => one.name === name),
    workspace: (path) => Promise.resolve(path),
    folders: () => Promise.resolve({ path: WORKSPACE, parent: null, folders: [] }),
    close: () => Promise.resolve(),
  };
}
