/**
 * The one table of error codes: status and whether the same request may succeed later. `retryable` is what the outbox
 * goes by; nothing decides by a message's text.
 */
export const ERRORS = {
  'bad-request': { status: 400, retryable: false },
  'bad-json': { status: 400, retryable: false },
  'bad-id': { status: 400, retryable: false },
  'unknown-key': { status: 400, retryable: false },
  'signed-out': { status: 401, retryable: false },
  'device-revoked': { status: 401, retryable: false },
  'bad-token': { status: 401, retryable: false },
  'forbidden-host': { status: 403, retryable: false },
  'forbidden-origin': { status: 403, retryable: false },
  'forbidden-path': { status: 403, retryable: false },
  'not-found': { status: 404, retryable: false },
  'method-not-allowed': { status: 405, retryable: false },
  conflict: { status: 409, retryable: false },
  'id-conflict': { status: 409, retryable: false },
  'stale-edit': { status: 409, retryable: false },
  'already-promoted': { status: 409, retryable: false },
  gone: { status: 410, retryable: false },
  'session-deleted': { status: 410, retryable: false },
  'too-large': { status: 413, retryable: false },
  'wrong-type': { status: 415, retryable: false },
  'bad-workspace': { status: 422, retryable: false },
  'too-many-pending': { status: 422, retryable: false },
  'slow-down': { status: 429, retryable: true },
  internal: { status: 500, retryable: true },
  'not-implemented': { status: 501, retryable: false },
  'shutting-down': { status: 503, retryable: true },
  'disk-full': { status: 507, retryable: true },
} as const satisfies Record<string, { status: number; retryable: boolean }>;

export type ErrorCode = keyof typeof ERRORS;

/** The envelope of every failure: `{error: {code, message, retryable}}`; `details` holds both values of a stale edit, or the limit that was passed. */
export interface ErrorBody {
  error: { code: ErrorCode; message: string; retryable: boolean; details?: unknown };
}

/** An error that is meant for the caller: thrown anywhere on the server, answered as its envelope. */
export class CodedError extends Error {
  readonly code: ErrorCode;
  readonly details: unknown;
  constructor(code: ErrorCode, message: string, details?: unknown) {
    super(message);
    this.name = 'CodedError';
    this.code = code;
    this.details = details;
  }
  get status(): number {
    return ERRORS[this.code].status;
  }
  toBody(): ErrorBody {
    const error: ErrorBody['error'] = { code: this.code, message: this.message, retryable: ERRORS[this.code].retryable };
    if (this.details !== undefined) error.details = this.details;
    return { error };
  }
}
