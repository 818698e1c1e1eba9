/** What went wrong in an attempt, and whether trying again can help (WIRE 4, Retry). Pure; decided by status, type and code, never by words. */
import type { UsageData } from '#shared/protocol/records.ts';
import { ProviderError } from './port.ts';

/** An error of the SDK or the transport, without its classes. */
export interface Fault {
  /** `connection`: no answer, or a stream that broke; `answer`: the provider said so; `stream`: an error event in a 200. */
  kind: 'connection' | 'answer' | 'stream';
  status: number | null;
  /** `error.type` and `error.details.error_code` of the provider's body. */
  type: string | null;
  errorCode: string | null;
  message: string;
  header(name: string): string | null;
  cause: unknown;
}

const STREAM_RETRYABLE = new Set(['overloaded_error', 'api_error', 'rate_limit_error', 'timeout_error']);

export function providerError(fault: Fault, now: number, usage: UsageData | null): ProviderError {
  return new ProviderError(codeOf(fault), fault.message, {
    status: fault.status,
    retryable: isRetryable(fault),
    retryAfter: fault.kind === 'connection' ? null : retryAfter(fault, now),
    usage,
    cause: fault.cause,
  });
}

function codeOf(fault: Fault): string {
  if (fault.kind === 'connection') return 'connection';
  if (fault.errorCode !== null) return fault.errorCode.replaceAll('_', '-');
  if (fault.type !== null) return fault.type.replace(/_error$/, '').replaceAll('_', '-');
  return fault.status === null ? 'provider' : `http-${fault.status}`;
}

function isRetryable(fault: Fault): boolean {
  // Waiting brings no money: these come as 429 and stay.
  if (fault.errorCode?.endsWith('_spend_limit_reached') === true) return false;
  if (fault.kind === 'connection') return true;
  if (fault.kind === 'stream') return fault.type !== null && STREAM_RETRYABLE.has(fault.type);
  const asked = fault.header('x-should-retry');
  if (asked === 'true' || asked === 'false') return asked === 'true';
  const status = fault.status ?? 0;
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

/** Milliseconds the provider asked to wait: `retry-after-ms`, or `retry-after` in seconds or as a date. */
function retryAfter(fault: Fault, now: number): number | null {
  const ms = Number.parseFloat(fault.header('retry-after-ms') ?? '');
  if (ms > 0) return Math.ceil(ms);
  const text = fault.header('retry-after');
  if (text === null) return null;
  const wait = /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number.parseFloat(text) * 1000 : Date.parse(text) - now;
  return wait > 0 ? Math.ceil(wait) : null;
}
