/**
 * What the clients of a server have been told, over all its lives. Whatever is shown again must be what was shown before: a
 * sealed record to the byte (law 6), a receipt never behind what it was, a first answer for ever.
 */
import { isEvent, type LogRecord } from '#shared/protocol/records.ts';
import type { Receipt } from '#shared/protocol/summaries.ts';

export interface SeenInput {
  id: string;
  /** Some `PUT` was answered: the server has it for good (law 2). */
  accepted: boolean;
  /** A cancellation was answered. */
  cancelled: boolean;
  /** Sent with `resume: false`: wakes nothing. */
  quiet: boolean;
  /** As it was last told of, in an answer and in a frame. */
  answer: Receipt | null;
  frame: Receipt | null;
}
/** By all that was told of it. */
export function isPending(input: SeenInput): boolean {
  const told = [input.answer, input.frame].filter((receipt) => receipt !== null);
  return told.length > 0 && told.every((receipt) => receipt.state === 'pending');
}

export class SeenSession {
  readonly id: string;
  readonly mode: string;
  /** By seq, as JSON. */
  readonly records = new Map<number, string>();
  readonly inputs = new Map<string, SeenInput>();
  /** A fork, and how many of its records were copied. */
  readonly forked: boolean;
  copied = 0;
  /** Its creation was answered. */
  accepted = false;
  /** A deletion was asked for; `gone`: and answered. */
  deleting = false;
  gone = false;
  /** How far the socket brought the log, without a hole. */
  cursor: { after: number; lastId: string | null } = { after: 0, lastId: null };
  /** Decisions that were answered, by approval. */
  readonly decided = new Map<string, string>();

  constructor(id: string, mode: string, forked: boolean) {
    this.id = id;
    this.mode = mode;
    this.forked = forked;
  }
  /** Seqs at which no turn is open. */
  get ends(): number[] {
    return [...this.records.values()].flatMap((text) => {
      const record = JSON.parse(text) as LogRecord;
      return isEvent(record, 'turn-settled') ? [record.seq] : [];
    });
  }
  get pending(): string[] {
    return [...this.inputs.values()].filter(isPending).map((input) => input.id);
  }
  input(id: string): SeenInput {
    const known = this.inputs.get(id) ?? { id, accepted: false, cancelled: false, quiet: false, answer: null, frame: null };
    this.inputs.set(id, known);
    return known;
  }
}

export class Witness {
  readonly sessions = new Map<string, SeenSession>();
  epoch: string | null = null;
  /** What was wrong with what the sockets brought. */
  readonly faults: string[] = [];

  get living(): SeenSession[] {
    return [...this.sessions.values()].filter((session) => session.accepted && !session.deleting);
  }
  session(id: string): SeenSession {
    const found = this.sessions.get(id);
    if (found === undefined) throw new Error(`the server speaks of a session that nobody made: ${id}`);
    return found;
  }

  /** Law 6, over every answer and frame that holds records. */
  records(records: readonly LogRecord[]): void {
    for (const record of records) {
      const { records: seen } = this.session(record.sessionId);
      const now = JSON.stringify(record);
      const before = seen.get(record.seq);
      if (before !== undefined && before !== now) throw new Error(`law 6: a sealed record changed: ${before} is now ${now}`);
      seen.set(record.seq, now);
    }
  }
  /** Law 8, over the frames of a socket: each record is the next one. */
  replayed(records: readonly LogRecord[]): void {
    this.records(records);
    for (const record of records) {
      const session = this.session(record.sessionId);
      if (record.seq !== session.cursor.after + 1)
        throw new Error(`law 8: ${record.seq} was sent after ${session.cursor.after} of ${session.id}`);
      session.cursor = { after: record.seq, lastId: record.id };
    }
  }
  /**
   * A receipt only goes forward: pending → promoted or cancelled, for good. Answers and frames each in their own order: a frame
   * may come behind an answer that is newer.
   */
  receipt(now: Receipt, by: 'answer' | 'frame'): void {
    const input = this.session(now.sessionId).input(now.id);
    const before = input[by];
    input[by] = now;
    if (before === null) return;
    const moved = before.state !== 'pending' && (before.state !== now.state || before.promotedSeq !== now.promotedSeq);
    if (moved || before.seq !== now.seq || before.rev > now.rev) {
      throw new Error(`law 2: a receipt went back: ${JSON.stringify(before)} is now ${JSON.stringify(now)}`);
    }
  }
}
