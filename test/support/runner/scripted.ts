/**
 * A runner on the real SQLite store, with an agent and tools that do what a test scripts. Time is real and short: waits that
 * the runner asks for are noted and end after a few milliseconds.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { newId } from '#shared/ids.ts';
import type { Timers } from '#shared/ports.ts';
import type { StepEvent } from '#shared/protocol/agent-events.ts';
import type { ContentPart } from '#shared/protocol/content.ts';
import type { ChunkRecord, Delivery, LogRecord, Mode } from '#shared/protocol/records.ts';
import { isTombstone, type SessionSummary } from '#shared/protocol/summaries.ts';
import { ProviderError, type Agent, type StepAnswer, type StepRequest } from '../../../server/agent/port.ts';
import { decisions } from '../../../server/inbox/decisions.ts';
import { payloadHash } from '../../../server/inbox/payload-hash.ts';
import { createRunner } from '../../../server/runner/coordinator.ts';
import type { Awake } from '../../../server/runner/awake.ts';
import type { Runner } from '../../../server/runner/port.ts';
import { openSqliteStore } from '../../../server/store/sqlite/open.ts';
import type { Store } from '../../../server/store/port.ts';
import type { Tool, Toolbox } from '../../../server/tools/port.ts';

const USAGE = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, model: 'scripted' };

export interface Talk {
  request: StepRequest;
  signal: AbortSignal;
  emit: (event: StepEvent) => void;
  text(words: string, i?: number): void;
  call(name: string, args: Record<string, unknown>, i?: number): void;
  /** Ends the message. */
  end(stop?: StepAnswer['stop']): StepAnswer;
  fail(code: string, facts?: { retryable?: boolean; retryAfter?: number; status?: number }): never;
  /** Never ends by itself: throws when the turn is aborted. */
  hang(): Promise<never>;
}
export type Script = (talk: Talk, n: number) => StepAnswer | Promise<StepAnswer>;

export interface Bench {
  folder: string;
  store: Store;
  runner: Runner;
  requests: StepRequest[];
  /** Milliseconds of every wait that was asked for and is longer than a frame. */
  waits: number[];
  reports: string[];
  /** True: waits longer than a frame do not end by themselves from now on. */
  holdsWaits: boolean;
  script: Script;
  tools: Tool[];
  /** Handed to the runners that are started from now on. */
  awake?: Awake;
  session(mode?: Mode): Promise<string>;
  send(sessionId: string, words: string, delivery?: Delivery, more?: { seenSeq?: number; id?: string }): Promise<string>;
  stop(sessionId: string): Promise<void>;
  summary(sessionId: string): Promise<SessionSummary>;
  log(sessionId: string): Promise<LogRecord[]>;
  /** `type:words` of shown chunks and `#type` of events, in order: what a test reads at a glance. */
  trail(sessionId: string): Promise<string[]>;
  until(what: () => boolean | Promise<boolean>): Promise<void>;
  /** A new runner, as after a restart, on the same store. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export const clock = { now: () => Date.now() };
export const random = { unit: () => Math.random(), bytes: (n: number) => new Uint8Array(randomBytes(n)) };
export const uuid = (): string => newId(clock, random);
export const words = (text: string): ContentPart[] => [{ type: 'text', text }];

export async function openBench(): Promise<Bench> {
  const folder = mkdtempSync(path.join(tmpdir(), 'cairn-runner-'));
  const bench = {
    folder,
    requests: [] as StepRequest[],
    waits: [] as number[],
    reports: [] as string[],
    holdsWaits: false,
    tools: [] as Tool[],
  } as Bench;
  const report = (event: string): void => void bench.reports.push(event);
  const timers: Timers = {
    after(ms, callback) {
      if (ms > 100) bench.waits.push(ms);
      if (ms > 100 && bench.holdsWaits) return () => undefined;
      const timer = setTimeout(callback, Math.min(ms, 20));
      return () => clearTimeout(timer);
    },
  };
  const agent: Agent = {
    label: 'a scripted model',
    demo: false,
    source: 'scripted-source',
    defaultModel: 'scripted',
    models: () => Promise.resolve([{ id: 'scripted', name: 'Scripted', efforts: [] }]),
    header: () => ({ system: 'You are scripted.', tools: [] }),
    async attempt(request, signal, emit) {
      bench.requests.push({ ...request, records: [...request.records] });
      return bench.script(talk(request, signal, emit), bench.requests.length - 1);
    },
    close: () => Promise.resolve(),
  };
  const toolbox: Toolbox = {
    get tools() {
      return bench.tools;
    },
    find: (name) => bench.tools.find((tool) => tool.name === name),
    workspace: (given) => Promise.resolve(given),
    folders: () => Promise.resolve({ path: null, parent: null, folders: [] }),
    close: () => Promise.resolve(),
  };
  const start = (): Runner =>
    createRunner({
      store: bench.store,
      agent,
      toolbox,
      clock,
      random,
      timers,
      report,
      ...(bench.awake === undefined ? {} : { awake: bench.awake }),
    });

  bench.store = await openSqliteStore({ folder, clock, random, report, decisions });
  bench.runner = start();
  bench.script = (to) => {
    to.text('done');
    return to.end();
  };
  bench.session = async (mode = 'auto') => {
    const id = uuid();
    await bench.store.createSession({
      id,
      workspace: folder,
      title: 't',
      model: null,
      effort: null,
      mode,
      payloadHash: id,
      now: Date.now(),
    });
    return id;
  };
  bench.send = async (sessionId, text, delivery = 'steer', more = {}) => {
    const inputId = more.id ?? uuid();
    const content = words(text);
    const { wake } = await bench.store.admit({
      sessionId,
      inputId,
      content,
      delivery,
      payloadHash: payloadHash(sessionId, content, delivery),
      composedAt: Date.now(),
      seenSeq: more.seenSeq ?? null,
      aimedTurnId: undefined,
      resume: null,
      now: Date.now(),
    });
    if (wake) bench.runner.wake(sessionId);
    return inputId;
  };
  bench.stop = async (sessionId) => {
    const stopped = await bench.store.stop(sessionId, null, { id: null, now: Date.now() });
    if (stopped !== null) bench.runner.abort(sessionId, stopped.turnId);
  };
  bench.summary = async (sessionId) => {
    const entry = await bench.store.session(sessionId);
    if (entry === null || isTombstone(entry)) throw new Error('no such session');
    return entry;
  };
  bench.log = (sessionId) => bench.store.history(sessionId, 0);
  bench.trail = async (sessionId) => (await bench.log(sessionId)).map(glance).filter((line) => line !== null);
  bench.until = async (what) => {
    const deadline = Date.now() + 8000;
    while (!(await what())) {
      if (Date.now() > deadline) throw new Error('it never came to be');
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
  };
  bench.restart = async () => {
    await bench.runner.close();
    bench.runner = start();
    await bench.runner.recover();
  };
  bench.close = async () => {
    await bench.runner.close();
    await bench.store.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return bench;
}

function talk(request: StepRequest, signal: AbortSignal, emit: (event: StepEvent) => void): Talk {
  let next = 0;
  return {
    request,
    signal,
    emit,
    text(said, i = next++) {
      emit({ type: 'text-delta', i, text: said });
      emit({ type: 'text-end', i });
    },
    call(name, args, i = next++) {
      emit({ type: 'tool-call-start', i, callId: `call_${request.records.length}_${i}`, name });
      emit({ type: 'tool-call-args', i, text: JSON.stringify(args) });
      emit({ type: 'tool-call-end', i });
    },
    end: (stop = 'end_turn') => ({ stop, detail: null, usage: USAGE, thinkingOff: false }),
    fail(code, facts = {}) {
      throw new ProviderError(code, code, {
        retryable: facts.retryable ?? true,
        retryAfter: facts.retryAfter ?? null,
        status: facts.status ?? null,
      });
    },
    hang: () =>
      new Promise((_resolve, reject) => {
        const abort = (): void => reject(new Error('aborted'));
        if (signal.aborted) abort();
        else signal.addEventListener('abort', abort);
      }),
  };
}

function glance(record: LogRecord): string | null {
  if (record.kind === 'event') return `#${record.type}`;
  if (record.type === 'usage') return null;
  const data = record.data as {
    text?: string;
    kind?: string;
    content?: { text: string }[];
    name?: string;
    outcome?: string;
    code?: string;
  };
  if (record.type === 'system' && data.kind === 'context') return null;
  const said = data.outcome ?? data.code ?? data.kind ?? data.name ?? data.content?.[0]?.text ?? data.text ?? '';
  return `${record.type}:${said}`;
}

export const chunksOf = (records: readonly LogRecord[], type: string): ChunkRecord[] =>
  records.filter((record): record is ChunkRecord => record.kind === 'chunk' && record.type === type);

/** A tool that does what it is told. */
export function tool(name: string, effect: Tool['effect'], run: Tool['run']): Tool {
  return { name, description: name, inputSchema: { type: 'object', properties: {} }, effect, summary: () => name, run };
}
