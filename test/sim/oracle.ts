/**
 * What the server has said and committed, kept apart from it: the truth that everything else is held against. Each history of the
 * server (a start, then one for every restore) has its own logs.
 */
import type Database from 'better-sqlite3';
import { isShown, type ChunkRecord, type LogRecord } from '#shared/protocol/records.ts';
import { isTombstone, type Receipt, type SessionEntry } from '#shared/protocol/summaries.ts';
import type { Commit } from '../../server/store/port.ts';

export interface SessionTruth {
  /** The text of each record, at seq - 1. */
  texts: string[];
  records: LogRecord[];
  /** Those of them that a window shows. */
  shown: ChunkRecord[];
  entry: SessionEntry;
}
export interface History {
  epoch: string;
  sessions: Map<string, SessionTruth>;
  inputs: Map<string, Receipt>;
}
export interface Backup {
  image: Buffer;
  history: History;
}

export function wordsOf(receipt: Pick<Receipt, 'content'>): string {
  return receipt.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
function copyOf({ epoch, sessions, inputs }: History): History {
  const own = [...sessions].map(([id, truth]): [string, SessionTruth] => [
    id,
    { ...truth, texts: [...truth.texts], records: [...truth.records], shown: [...truth.shown] },
  ]);
  return { epoch, sessions: new Map(own), inputs: new Map(inputs) };
}

function add(truth: SessionTruth, record: LogRecord): void {
  truth.records.push(record);
  truth.texts.push(JSON.stringify(record));
  if (record.kind === 'chunk' && isShown(record)) truth.shown.push(record);
}

export class Oracle {
  now: History = { epoch: '', sessions: new Map(), inputs: new Map() };
  /** All of them, the newest last. */
  readonly histories: History[] = [];
  /** Every text that a receipt of the server ever had, by input. */
  readonly saidOf = new Map<string, Set<string>>();
  readonly #fault: (law: string, words: string) => void;
  readonly #read: (sessionId: string) => readonly LogRecord[];

  /** `read`: a log as it is on the server's disk. */
  constructor(fault: (law: string, words: string) => void, read: (sessionId: string) => readonly LogRecord[]) {
    this.#fault = fault;
    this.#read = read;
  }

  /** A life of the server begins, on the history that `now` is. */
  began(epoch: string): void {
    if (this.now.epoch === epoch) return;
    this.now = { ...this.now, epoch };
    if (this.histories.length > 0 && this.histories.at(-1)!.epoch === '') this.histories.pop();
    this.histories.push(this.now);
  }
  backUp(image: Buffer): Backup {
    return { image, history: copyOf(this.now) };
  }
  /** From here on the server is as it was then; `afresh`: under another epoch, which its start tells. */
  restore({ history }: Backup, afresh: boolean): void {
    this.now = copyOf(history);
    if (afresh) this.now.epoch = '';
    this.histories.push(this.now);
  }

  commit({ sessionId, records, receipts, session }: Commit): void {
    const { sessions } = this.now;
    let truth = sessions.get(sessionId);
    if (truth === undefined) {
      sessions.set(sessionId, (truth = { texts: [], records: [], shown: [], entry: session }));
      // A fork is told of by its session alone: what it begins with is read where it is needed.
      if (!isTombstone(session) && session.origin != null) for (const record of this.#read(sessionId)) add(truth, record);
    }
    for (const record of records) {
      if (record.seq !== truth.records.length + 1) {
        this.#fault('law-05', `seq ${record.seq} of ${sessionId} was told after ${truth.records.length}`);
        return;
      }
      if (record.kind === 'chunk' && record.type === 'prompt') this.#promoted(sessionId, record);
      add(truth, record);
    }
    truth.entry = session;
    for (const receipt of receipts) this.#receipt(receipt);
  }
  #promoted(sessionId: string, prompt: ChunkRecord): void {
    for (const [id, { records }] of this.now.sessions) {
      // A fork has copies, under ids of their own.
      if (records.some((record) => record.id === prompt.id))
        this.#fault('law-01', `${prompt.id} was promoted in ${id} and again in ${sessionId}`);
    }
    const before = this.now.inputs.get(prompt.id);
    if (before?.state === 'cancelled') this.#fault('law-01', `${prompt.id} was cancelled, and ran`);
  }
  #receipt(receipt: Receipt): void {
    const before = this.now.inputs.get(receipt.id);
    if (before !== undefined && before.state !== 'pending' && before.state !== receipt.state)
      this.#fault('law-01', `${receipt.id} was ${before.state} and became ${receipt.state}`);
    this.now.inputs.set(receipt.id, receipt);
    let said = this.saidOf.get(receipt.id);
    if (said === undefined) this.saidOf.set(receipt.id, (said = new Set()));
    said.add(wordsOf(receipt));
  }

  /** Laws 2, 5 and 6: what is on the server's disk is what was told of, byte by byte. */
  compare(db: Database.Database): void {
    const rows = db
      .prepare(
        `SELECT s.id AS sessionId, r.seq AS seq, r.id AS id, r.type AS type, r.data AS data FROM record r JOIN session s ON s.key = r.session_key
         WHERE s.deleted = 0 ORDER BY s.key, r.seq`,
      )
      .all() as { sessionId: string; seq: number; id: string; type: string; data: string }[];
    const found = new Map<string, number>();
    for (const { sessionId, seq, id, type, data } of rows) {
      found.set(sessionId, (found.get(sessionId) ?? 0) + 1);
      const known = this.now.sessions.get(sessionId)?.records[seq - 1];
      if (seq !== found.get(sessionId)) return this.#fault('law-05', `the log of ${sessionId} has a hole before ${seq}`);
      if (known === undefined) return this.#fault('law-08', `record ${seq} of ${sessionId} was never told of`);
      if (known.id !== id || known.type !== type || (!data.includes('"blob"') && JSON.stringify(known.data) !== data))
        return this.#fault('law-06', `record ${seq} of ${sessionId} is ${data}, and was told as ${JSON.stringify(known.data)}`);
    }
    for (const [id, truth] of this.now.sessions) {
      if (isTombstone(truth.entry)) continue;
      if ((found.get(id) ?? 0) !== truth.records.length)
        return this.#fault('law-02', `${id} has ${found.get(id) ?? 0} records on the disk, and ${truth.records.length} were told of`);
    }
    const inputs = db.prepare(`SELECT id, state FROM session_input`).all() as { id: string; state: string }[];
    const states = new Map(inputs.map(({ id, state }) => [id, state]));
    for (const [id, receipt] of this.now.inputs) {
      const truth = this.now.sessions.get(receipt.sessionId);
      if (truth === undefined || isTombstone(truth.entry)) continue;
      if (states.get(id) !== receipt.state)
        return this.#fault('law-02', `${id} is ${states.get(id)} on the disk, and was told as ${receipt.state}`);
    }
  }

  /** The records of a session that a device may hold under this epoch; a restore by copy keeps the epoch of what it undid. */
  logsOf(epoch: string, sessionId: string): readonly SessionTruth[] {
    const found: SessionTruth[] = [];
    for (const history of this.histories) {
      const truth = history.epoch === epoch ? history.sessions.get(sessionId) : undefined;
      if (truth !== undefined) found.push(truth);
    }
    return found;
  }
  /** A session in every history that had it. */
  everOf(sessionId: string): SessionTruth[] {
    return this.histories.flatMap(({ sessions }) => sessions.get(sessionId) ?? []);
  }
}
