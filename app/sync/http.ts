/**
 * Requests to Cairn, and what counts as its answer. Only one with the epoch header and a JSON envelope does: whatever a
 * captive portal or a proxy says in its place is transport trouble, whatever its status.
 */
import { ERRORS, type ErrorCode } from '#shared/protocol/errors.ts';
import { TIMES } from '#shared/protocol/limits.ts';
import { EPOCH_HEADER } from '#shared/protocol/version.ts';
import type { Clock, Timers } from '#shared/ports.ts';
import type { Fetch } from './ports.ts';

export type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
export type Answer =
  | { kind: 'ok'; status: number; value: unknown; epoch: string }
  | { kind: 'refused'; status: number; code: ErrorCode; message: string; retryable: boolean; details: unknown; epoch: string }
  /** No answer of Cairn's: no network, too late, or somebody else spoke. */
  | { kind: 'trouble'; reason: 'no-answer' | 'late' | 'not-cairn' | 'aborted' };

export interface HttpParts {
  fetch: Fetch;
  clock: Clock;
  timers: Timers;
  /** Told of every answer of Cairn's: its epoch, and how far its clock is ahead of this device's (null: not said). */
  heard(epoch: string, skew: number | null): void;
}
export interface Http {
  /** Never rejects. `signal`: gives up early. */
  ask(method: Method, path: string, body?: unknown, signal?: AbortSignal): Promise<Answer>;
}
export interface WatchedHttp extends Http {
  /** Resolves once nothing is being asked. */
  quiet(): Promise<void>;
}

export function http(parts: HttpParts): WatchedHttp {
  let asking = 0;
  let waiting: (() => void)[] = [];
  return {
    quiet: () => (asking === 0 ? Promise.resolve() : new Promise<void>((resolve) => waiting.push(resolve))),
    async ask(method, path, body, signal) {
      asking += 1;
      const abort = new AbortController();
      let late = false;
      const give = (): void => abort.abort();
      signal?.addEventListener('abort', give, { once: true });
      if (signal?.aborted === true) give();
      const cancel = parts.timers.after(TIMES.requestWithin, () => {
        late = true;
        give();
      });
      try {
        const headers: Record<string, string> = { accept: 'application/json' };
        if (body !== undefined) headers['content-type'] = 'application/json';
        const sent = { method, headers, signal: abort.signal, cache: 'no-store' as const };
        const response = await parts.fetch(path, body === undefined ? sent : { ...sent, body: JSON.stringify(body) });
        const answer = read(response.status, response.headers.get(EPOCH_HEADER), await response.text());
        if (answer.kind !== 'trouble') parts.heard(answer.epoch, skewOf(response.headers.get('date'), parts.clock.now()));
        return answer;
      } catch {
        // Whatever `fetch` throws means the same here: there is no answer.
        return { kind: 'trouble', reason: late ? 'late' : abort.signal.aborted ? 'aborted' : 'no-answer' };
      } finally {
        cancel();
        signal?.removeEventListener('abort', give);
        asking -= 1;
        const told = asking === 0 ? waiting : [];
        waiting = asking === 0 ? [] : waiting;
        for (const resolve of told) resolve();
      }
    },
  };
}

/** Judges an answer by its header and envelope. */
export function read(status: number, epoch: string | null, text: string): Answer {
  const other: Answer = { kind: 'trouble', reason: 'not-cairn' };
  if (epoch === null || epoch === '') return other;
  let value: unknown = null;
  try {
    if (text !== '') value = JSON.parse(text);
  } catch {
    return other;
  }
  if (status >= 200 && status < 300) return { kind: 'ok', status, value, epoch };
  if (typeof value !== 'object' || value === null || !('error' in value)) return other;
  const error = value.error;
  if (typeof error !== 'object' || error === null || !('code' in error) || typeof error.code !== 'string') return other;
  const known = error.code in ERRORS ? ERRORS[error.code as ErrorCode] : null;
  return {
    kind: 'refused',
    status,
    code: error.code as ErrorCode,
    message: 'message' in error && typeof error.message === 'string' ? error.message : error.code,
    retryable: 'retryable' in error && typeof error.retryable === 'boolean' ? error.retryable : (known?.retryable ?? status >= 500),
    details: 'details' in error ? error.details : null,
    epoch,
  };
}

function skewOf(date: string | null, now: number): number | null {
  const at = date === null ? Number.NaN : Date.parse(date);
  return Number.isNaN(at) ? null : at - now;
}
