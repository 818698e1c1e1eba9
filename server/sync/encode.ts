/**
 * Frames as bytes. What goes to many sockets is turned into bytes once and shared: fan-out costs one serialization, however
 * many look on.
 */
import type { DownFrame } from '#shared/protocol/frames.ts';
import { LIMITS } from '#shared/protocol/limits.ts';
import type { LogRecord } from '#shared/protocol/records.ts';
import { isTombstone } from '#shared/protocol/summaries.ts';
import type { Commit } from '../store/port.ts';

export function encode(frame: DownFrame): Buffer {
  return Buffer.from(JSON.stringify(frame));
}

/** A `records` frame, with the seqs it covers, both included. */
export interface RecordsFrame {
  first: number;
  last: number;
  bytes: Buffer;
}

/** Dense records as frames of at most `maxBytes` each; a record larger than that goes alone. */
export function recordFrames(sessionId: string, records: readonly LogRecord[], maxBytes: number = LIMITS.logPageBytes): RecordsFrame[] {
  const head = `{"type":"records","sessionId":${JSON.stringify(sessionId)},"records":[`;
  const frames: RecordsFrame[] = [];
  let texts: string[] = [];
  let size = 0;
  const close = (last: number): void => {
    frames.push({ first: last - texts.length + 1, last, bytes: Buffer.from(`${head}${texts.join(',')}]}`) });
    texts = [];
    size = 0;
  };
  for (const record of records) {
    const text = JSON.stringify(record);
    const bytes = Buffer.byteLength(text) + 1;
    if (texts.length > 0 && head.length + size + bytes + 2 > maxBytes) close(record.seq - 1);
    texts.push(text);
    size += bytes;
  }
  if (texts.length > 0) close(records.at(-1)!.seq);
  return frames;
}

/** A commit with its frames, made when the first socket needs them and then shared. */
export class EncodedCommit {
  readonly sessionId: string;
  readonly records: readonly LogRecord[];
  /** Version of the session right after the commit: tells whether a snapshot holds it already. */
  readonly version: number;
  /** Of its log right after the commit; 0 once it is deleted. */
  readonly head: number;
  readonly #commit: Commit;
  #frames: readonly RecordsFrame[] | null = null;
  #inputs: readonly Buffer[] | null = null;
  constructor(commit: Commit) {
    this.#commit = commit;
    this.sessionId = commit.sessionId;
    this.records = commit.records;
    this.version = commit.session.version;
    this.head = isTombstone(commit.session) ? 0 : commit.session.head;
  }

  frames(): readonly RecordsFrame[] {
    return (this.#frames ??= recordFrames(this.sessionId, this.records));
  }
  inputs(): readonly Buffer[] {
    return (this.#inputs ??= this.#commit.receipts.map((receipt) => encode({ type: 'input', sessionId: this.sessionId, receipt })));
  }
}
