/** What went wrong with IndexedDB, told by names and never by an error's words. */

/**
 * `quota`: full. `closed`: the connection is gone and a new one may do. `late`: no answer in time. `blocked`: another window keeps
 * an older database open. `newer`: the database is of a newer app than this one. `failed`: anything else.
 */
export type DiskFault = 'quota' | 'closed' | 'late' | 'blocked' | 'newer' | 'failed';

export class LateError extends Error {
  constructor(ms: number) {
    super(`the database did not answer within ${ms} ms`);
    this.name = 'LateError';
  }
}
export class BlockedError extends Error {
  constructor() {
    super('another window holds an older database open');
    this.name = 'BlockedError';
  }
}
export class OutdatedError extends Error {
  constructor() {
    super('the database belongs to a newer app');
    this.name = 'OutdatedError';
  }
}

const FAULTS: ReadonlyMap<string, DiskFault> = new Map([
  ['DatabaseClosedError', 'closed'],
  ['InvalidStateError', 'closed'],
  ['UnknownError', 'closed'],
  ['TransactionInactiveError', 'closed'],
  ['LateError', 'late'],
  ['BlockedError', 'blocked'],
  ['OutdatedError', 'newer'],
  ['VersionError', 'newer'],
]);

/** The names of an error and of all that is inside it, up to some depth. */
function* namesIn(error: unknown): Generator<string> {
  let at: unknown = error;
  for (let depth = 0; depth < 8 && typeof at === 'object' && at !== null; depth++) {
    if ('name' in at && typeof at.name === 'string') yield at.name;
    at = 'inner' in at ? at.inner : 'cause' in at ? at.cause : null;
  }
}

/**
 * The fault behind an error. A full disk arrives as an AbortError with the quota error inside, possibly several levels
 * deep, so every `inner` and `cause` is looked at.
 */
export function faultOf(error: unknown): DiskFault {
  let found: DiskFault = 'failed';
  for (const name of namesIn(error)) {
    if (name === 'QuotaExceededError') return 'quota';
    if (found === 'failed') found = FAULTS.get(name) ?? found;
  }
  return found;
}

/** Whether a value could not be stored since it is no plain data: a reactive proxy, most likely. */
export function isUncloneable(error: unknown): boolean {
  for (const name of namesIn(error)) if (name === 'DataCloneError') return true;
  return false;
}
