/** Transcript states: chunks made by hand, as the server seals and streams them. */
import { emptyFold, fold, type LiveFold } from '#shared/chunks/fold.ts';
import { chunkId } from '#shared/ids.ts';
import type { AgentEvent, StepEvent } from '#shared/protocol/agent-events.ts';
import type { BlobRef, ChunkDataByType, ChunkRecord, ChunkType, Role, ToolResultData } from '#shared/protocol/records.ts';
import type { Approval, Phase } from '#shared/protocol/summaries.ts';
import { useSessionsStore } from '../../app/stores/sessions.ts';
import { useTranscriptStore } from '../../app/stores/transcript.ts';
import type { ReceiptView, Stage } from '../../app/sync/views.ts';
import { receiptView } from '../support/receipt-view.ts';
import { idOf, NOW } from './sessions.ts';

export const SESSION = idOf(1);

/** Builds a session's sealed chunks in log order. */
export class Log {
  readonly chunks: ChunkRecord[] = [];
  #seq = 1;
  #at: number;
  #turn = 0;
  #step = 0;
  #places = new Map<string, number>();
  constructor(at = NOW - 40 * 60_000) {
    this.#at = at;
  }
  get turnId(): string {
    return `turn-${this.#turn}`;
  }
  get step(): number {
    return this.#step;
  }
  prompt(text: string, opens = true): this {
    if (opens) {
      this.#turn++;
      this.#step = 0;
    }
    this.#put(idOf(1000 + this.#seq), 'prompt', 'user', { content: [{ type: 'text', text }] });
    return this;
  }
  text(text: string): this {
    return this.#message('text', { text });
  }
  thinking(text: string): this {
    return this.#message('thinking', { text, signature: 'x' });
  }
  raw(block: unknown): this {
    return this.#message('raw', { block });
  }
  call(name: string, args: Record<string, unknown>, result: Partial<ToolResultData> | string | null): this {
    const callId = `call-${this.#seq}`;
    this.#message('tool_call', { callId, name, args: JSON.stringify(args) });
    if (result !== null) {
      const data = typeof result === 'string' ? { content: [{ type: 'text' as const, text: result }] } : result;
      this.#put(this.#id('t'), 'tool_result', 'tool', { callId, content: [], isError: false, ...data });
    }
    return this;
  }
  /** A call whose data is large and kept by reference. */
  largeCall(name: string, args: Record<string, unknown>, result: Partial<ToolResultData>): this {
    const callId = `call-${this.#seq}`;
    this.#put(this.#id('m'), 'tool_call', 'assistant', { callId, name, args: JSON.stringify(args) });
    const whole = { callId, content: [], isError: false, ...result };
    this.#put(this.#id('t'), 'tool_result', 'tool', reference(whole));
    return this;
  }
  system(kind: ChunkDataByType['system']['kind'], text: string): this {
    this.#put(this.#id('s'), 'system', 'system', { kind, text });
    return this;
  }
  error(code: string, message: string, status?: number): this {
    this.#put(this.#id('s'), 'error', 'system', { code, message, ...(status === undefined ? {} : { status }) });
    return this;
  }
  other(type: string, role: Role, data: unknown): this {
    this.#put(this.#id('m'), type, role, data);
    return this;
  }
  nextStep(): this {
    this.#step++;
    return this;
  }
  wait(minutes: number): this {
    this.#at += minutes * 60_000;
    return this;
  }
  #message<T extends ChunkType>(type: T, data: ChunkDataByType[T]): this {
    this.#put(this.#id('m'), type, 'assistant', data);
    return this;
  }
  #id(phase: 'm' | 't' | 's'): string {
    const key = `${this.#turn}.${this.#step}.${phase}`;
    const i = this.#places.get(key) ?? 0;
    this.#places.set(key, i + 1);
    return chunkId(this.turnId, this.#step, phase, i);
  }
  #put(id: string, type: string, role: Role, data: unknown): void {
    this.#at += 4000;
    const seq = this.#seq++;
    this.chunks.push(
      Object.freeze({
        kind: 'chunk',
        sessionId: SESSION,
        seq,
        id,
        type,
        role,
        turnId: this.#turn === 0 ? null : this.turnId,
        step: this.#step,
        data,
        createdAt: this.#at,
      }),
    );
  }
}
export function reference(whole: unknown): BlobRef {
  const text = JSON.stringify(whole);
  return { blob: { sha256: 'a'.repeat(64), size: text.length }, preview: text.slice(0, 4096) };
}

/** A fold of `events` of one step. */
export function streaming(log: Log, step: number, phase: Phase, events: readonly StepEvent[]): LiveFold {
  const key = { turnId: log.turnId, step, attempt: 0, phase };
  return fold(
    emptyFold(key),
    events.map((event) => ({ turnId: log.turnId, step, ...event }) as AgentEvent),
  );
}

export interface Shown {
  log: Log;
  live?: LiveFold | null;
  running?: boolean;
  receipts?: readonly ReceiptView[];
  approvals?: readonly Approval[];
  atStart?: boolean;
  hole?: { from: number; to: number } | null;
  /** Given: the window does not reach the end either. */
  holeBelow?: { from: number; to: number } | null;
}
/** Fills the transcript, and tells the session what it is doing. */
export function show({
  log,
  live = null,
  running = live !== null,
  receipts = [],
  approvals = [],
  atStart = true,
  hole = null,
  holeBelow = null,
}: Shown): void {
  const store = useTranscriptStore();
  store.chunks = log.chunks;
  store.total = log.chunks.length;
  store.live = live;
  store.turnId = running ? log.turnId : null;
  store.receipts = receipts;
  store.approvals = approvals;
  store.atStart = atStart;
  store.atEnd = holeBelow === null;
  store.hole = hole;
  store.holeBelow = holeBelow;
  store.loaded = true;
  const sessions = useSessionsStore();
  const row = sessions.byId(SESSION);
  if (row === null) return;
  const status = approvals.some((approval) => approval.state === 'open') ? 'waiting' : running ? 'running' : 'idle';
  sessions.put([{ ...row, summary: { ...row.summary, status, turnId: running ? log.turnId : null, workspace: '/home/ada/code/harbour' } }]);
}

let receiptCount = 0;
export function receiptOf(stage: Stage, text: string, more: Partial<ReceiptView> = {}): ReceiptView {
  return receiptView(idOf(700 + receiptCount++), stage, text, { sessionId: SESSION, composedAt: NOW, ...more });
}
export function approvalOf(log: Log, callId: string, name: string, summary: string): Approval {
  return {
    id: `approval-${callId}`,
    sessionId: SESSION,
    turnId: log.turnId,
    step: log.step,
    callId,
    name,
    effect: name === 'run' ? 'run' : 'write',
    summary,
    state: 'open',
    askedAt: NOW,
  };
}
