/**
 * What streams while a step runs. All carry turn and step, so that a step that opens with a tool call never leaks into
 * the one before. `i` is the chunk's place in its phase; in the tools phase also the call's place in call order.
 */
export type AgentEvent = { turnId: string; step: number } & StepEvent;

export type StepEvent =
  /** First of an attempt: whatever an earlier attempt of this step showed is void. `source`: hash of the base URL. */
  | { type: 'step-start'; attempt: number; source: string }
  | { type: 'text-delta'; i: number; text: string }
  | { type: 'text-end'; i: number; citations?: unknown[] }
  | { type: 'raw'; i: number; block: unknown; replay?: boolean }
  | { type: 'thinking-delta'; i: number; text: string }
  /** `signature` absent: cut before it came, or a server that signs nothing. */
  | { type: 'thinking-end'; i: number; signature?: string }
  | { type: 'tool-call-start'; i: number; callId: string; name: string; caller?: unknown }
  | { type: 'tool-call-args'; i: number; text: string }
  | { type: 'tool-call-end'; i: number }
  /** `result`: what the model is shown; the others are a shell's own streams. */
  | { type: 'tool-output'; i: number; callId: string; stream: OutputStream; text: string }
  | ({ type: 'tool-end'; i: number; callId: string; isError: boolean } & ToolEndFacts)
  /** Waiting until `at` (server's clock, ms) before the next attempt. */
  | { type: 'retry'; at: number; reason: string }
  | { type: 'status'; text: string };

export type OutputStream = 'stdout' | 'stderr' | 'result';
export interface ToolEndFacts {
  /** Present for shell calls only. */
  exitCode?: number | null;
  truncated?: boolean;
  outcome?: 'interrupted' | 'not-run' | 'denied';
}
