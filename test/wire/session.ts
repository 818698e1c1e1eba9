/**
 * A session's log in memory, and the least runner that can drive an agent over it: one attempt, folded by the shared fold
 * and sealed by the shared explode, as the real one does. For tests of the agent alone.
 */
import { explode } from '#shared/chunks/explode.ts';
import { emptyFold, fold, type LiveFold } from '#shared/chunks/fold.ts';
import type { StepEvent } from '#shared/protocol/agent-events.ts';
import type { ChunkDataByType, Effort, EventDataByType, LogRecord, Role, ToolResultData } from '#shared/protocol/records.ts';
import type { ToolSpec } from '#shared/tool-spec.ts';
import { type Agent, type ProviderError, type StepAnswer } from '../../server/agent/port.ts';
import type { AgentEffects } from '../../server/agent/create.ts';

export const TOOLS: ToolSpec[] = [
  tool('write', { path: { type: 'string' }, content: { type: 'string' } }, ['path', 'content']),
  tool('run', { command: { type: 'string' }, timeout: { type: 'number' } }, ['command']),
  tool('read', { path: { type: 'string' } }, ['path']),
  tool('list', { path: { type: 'string' } }, []),
  tool('search', { pattern: { type: 'string' }, path: { type: 'string' } }, ['pattern']),
  tool('edit', { path: { type: 'string' }, old: { type: 'string' }, new: { type: 'string' } }, ['path', 'old', 'new']),
];

function tool(name: string, properties: Record<string, unknown>, required: string[]): ToolSpec {
  return { name, description: `The ${name} tool.`, inputSchema: { type: 'object', properties, required } };
}

export interface TestEffects extends AgentEffects {
  reports: { event: string; facts: Record<string, unknown> | undefined }[];
}

/** Real timers, a counting "random" and a clock that stands still. */
export function testEffects(): TestEffects {
  let drawn = 0;
  const reports: TestEffects['reports'] = [];
  return {
    clock: { now: () => 1_800_000_000_000 },
    random: {
      unit: () => 0.5,
      bytes: (n) => Uint8Array.from({ length: n }, (_, at) => (drawn++ * 31 + at * 7) % 256),
    },
    timers: {
      after(ms, callback) {
        const timer = setTimeout(callback, ms);
        return () => clearTimeout(timer);
      },
    },
    report: (event, facts) => void reports.push({ event, facts }),
    reports,
  };
}

export interface Attempted {
  answer: StepAnswer | null;
  error: ProviderError | null;
  events: StepEvent[];
  live: LiveFold;
}

export class TestSession {
  readonly records: LogRecord[] = [];
  turnId = 'turn-0';
  step = 0;
  #rows = 0;

  /** A session that is ready for its first prompt. */
  static of(agent: Agent, tools: readonly ToolSpec[] = TOOLS): TestSession {
    const session = new TestSession();
    session.event('wire-header', agent.header(tools, { workspace: '/home/me/garden' }));
    return session;
  }

  get head(): number {
    return this.records.length;
  }

  chunk<T extends keyof ChunkDataByType>(type: T, role: Role, data: ChunkDataByType[T], id = `row-${this.#rows++}`): void {
    const { turnId, step } = this;
    this.records.push({ kind: 'chunk', sessionId: 's', seq: this.head + 1, id, type, turnId, step, role, data, createdAt: 0 });
  }
  event<T extends keyof EventDataByType>(type: T, data: EventDataByType[T]): void {
    const { turnId } = this;
    this.records.push({ kind: 'event', sessionId: 's', seq: this.head + 1, id: `event-${this.#rows++}`, type, turnId, data, createdAt: 0 });
  }

  /** A prompt that opens a turn. */
  prompt(...texts: string[]): void {
    this.turnId = `turn-${this.head}`;
    this.step = 0;
    this.steer(...texts);
  }
  /** A prompt that joins the turn at the boundary it is at. */
  steer(...texts: string[]): void {
    this.chunk('prompt', 'user', { content: texts.map((text) => ({ type: 'text', text })) });
  }
  note(kind: ChunkDataByType['system']['kind'], wire: string): void {
    this.chunk('system', 'system', { kind, text: wire, wire });
  }
  result(callId: string, text: string, more: Partial<ToolResultData> = {}): void {
    this.chunk('tool_result', 'tool', { callId, content: text === '' ? [] : [{ type: 'text', text }], isError: false, ...more });
  }

  /** One attempt over the records as they stand; nothing is sealed. */
  async attempt(
    agent: Agent,
    options: { model?: string; effort?: Effort | null; signal?: AbortSignal; onEvent?: (event: StepEvent) => void } = {},
  ): Promise<Attempted> {
    const events: StepEvent[] = [];
    const key = { turnId: this.turnId, step: this.step, attempt: 0, phase: 'message' as const };
    let live = fold(emptyFold(key), [{ turnId: this.turnId, step: this.step, type: 'step-start', attempt: 0, source: agent.source }]);
    const emit = (event: StepEvent): void => {
      events.push(event);
      live = fold(live, [{ turnId: this.turnId, step: this.step, ...event }]);
      options.onEvent?.(event);
    };
    const request = { records: [...this.records], model: options.model ?? agent.defaultModel, effort: options.effort ?? null, attempt: 0 };
    try {
      const answer = await agent.attempt(request, options.signal ?? new AbortController().signal, emit);
      return { answer, error: null, events, live };
    } catch (error) {
      return { answer: null, error: error as ProviderError, events, live };
    }
  }

  /** Seals what an attempt showed, its usage behind it, and answers the callIds of its calls. */
  seal(attempted: Attempted, end: 'complete' | 'interrupted' = attempted.answer === null ? 'interrupted' : 'complete'): string[] {
    const calls: string[] = [];
    for (const draft of explode(attempted.live, end)) {
      this.records.push({ kind: 'chunk', sessionId: 's', seq: this.head + 1, createdAt: 0, ...draft });
      if (draft.type === 'tool_call') calls.push((draft.data as ChunkDataByType['tool_call']).callId);
    }
    const usage = attempted.answer?.usage ?? attempted.error?.usage ?? null;
    if (usage !== null) this.chunk('usage', 'system', usage);
    if (attempted.answer?.thinkingOff === true) this.event('thinking-off', { to: this.head });
    return calls;
  }

  /** Steps until the model ends its turn: each call is answered by `run`. Throws what an attempt threw. */
  async turn(
    agent: Agent,
    run: (name: string, args: Record<string, unknown>) => string | (Partial<ToolResultData> & { text: string }),
  ): Promise<void> {
    for (;;) {
      const attempted = await this.attempt(agent);
      if (attempted.error !== null) throw attempted.error;
      this.seal(attempted);
      const calls = attempted.live.chunks
        .filter((chunk) => chunk.type === 'tool_call')
        .map((chunk) => chunk.data as ChunkDataByType['tool_call']);
      for (const call of calls) {
        const said = run(call.name, JSON.parse(call.args) as Record<string, unknown>);
        if (typeof said === 'string') this.result(call.callId, said);
        else {
          const { text, ...more } = said;
          this.result(call.callId, text, more);
        }
      }
      this.step++;
      if (attempted.answer!.stop !== 'tool_use') return;
    }
  }

  /** Text of all assistant text chunks, joined by a line. */
  get said(): string {
    return this.records
      .flatMap((record) => (record.kind === 'chunk' && record.type === 'text' ? [(record.data as ChunkDataByType['text']).text] : []))
      .join('\n');
  }
}
