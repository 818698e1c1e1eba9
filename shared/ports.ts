/** Effects that pure code asks for. Each side's `main.ts` names the real ones; tests hand in their own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
}
export interface Random {
  /** Uniform in [0, 1). */
  unit(): number;
  /** `n` random bytes, fit for ids and tokens. */
  bytes(n: number): Uint8Array;
}
export interface Timers {
  /** Calls back once after `ms`; the answer cancels it. */
  after(ms: number, callback: () => void): () => void;
}
/** Where a fault that nobody can act on is told: never swallowed, never shown to the model. */
export interface Report {
  (event: string, facts?: Record<string, unknown>): void;
}
