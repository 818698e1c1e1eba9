/** The SQL of forks: rows go from log to log inside the database, a stretch at a time. */
import type Database from 'better-sqlite3';
import { forkedId, forkedRecordId } from './fork-ids.ts';
import type { RecordRow } from './rows.ts';
import { statementMakers } from './statement-makers.ts';
import type { HistoryRow, TurnRow } from './statements.ts';

/** Events that the wire needs: all other events tell of what happened there, which here it did not. */
const EVENTS = `'wire-header', 'thinking-off', 'context-cut', 'compacted'`;
const COPIED = `(kind = 'chunk' OR type IN (${EVENTS}))`;
const STRETCH = 'session_key = @origin AND seq > @after AND seq <= @upTo';

export interface StretchOf {
  origin: number;
  after: number;
  upTo: number;
}
export type ForkStatements = ReturnType<typeof prepareForkStatements>;

export function prepareForkStatements(db: Database.Database) {
  const { change, one, all } = statementMakers(db);
  const id = { deterministic: true, directOnly: true };
  db.function('fork_record_id', id, (salt, record, turn) =>
    forkedRecordId(String(salt), String(record), turn === null ? null : String(turn)),
  );
  db.function('fork_turn_id', id, (salt, turn) => (turn === null ? null : forkedId(String(salt), String(turn))));
  return {
    /** Of the last record up to `seq` that belongs to a turn. */
    turnAt: one<[key: number, seq: number], { turn_id: string }>(
      'SELECT turn_id FROM record WHERE session_key = ? AND seq <= ? AND turn_id IS NOT NULL ORDER BY seq DESC LIMIT 1',
    ),
    /** Of the first one behind. A pause may be told after its turn has settled. */
    turnBehind: one<[key: number, seq: number], { turn_id: string }>(
      `SELECT turn_id FROM record
        WHERE session_key = ? AND seq > ? AND turn_id IS NOT NULL AND type <> 'paused' ORDER BY seq LIMIT 1`,
    ),

    copied: all<[StretchOf], { seq: number }>(`SELECT seq FROM record WHERE ${STRETCH} AND ${COPIED} ORDER BY seq`),
    copiedCount: one<[StretchOf], { count: number }>(`SELECT count(*) AS count FROM record WHERE ${STRETCH} AND ${COPIED}`),
    copy: change<[StretchOf & { key: number; head: number; salt: string }]>(
      `INSERT INTO record (session_key, seq, id, kind, turn_id, step, role, type, data, created_at, blob)
        SELECT @key, @head + row_number() OVER (ORDER BY seq), fork_record_id(@salt, id, turn_id), kind,
          fork_turn_id(@salt, turn_id), step, role, type, data, created_at, blob
        FROM record WHERE ${STRETCH} AND ${COPIED} ORDER BY seq`,
    ),
    /** Rows of the fork that say more than themselves. */
    telling: all<[key: number, after: number], Pick<RecordRow, 'seq' | 'kind' | 'type' | 'data'>>(
      `SELECT seq, kind, type, data FROM record
        WHERE session_key = ? AND seq > ? AND (kind = 'event' OR type = 'system') ORDER BY seq`,
    ),
    setData: change<[data: string, key: number, seq: number]>('UPDATE record SET data = ? WHERE session_key = ? AND seq = ?'),
    shownCount: one<[key: number, after: number], { count: number }>(
      `SELECT count(*) AS count FROM record WHERE session_key = ? AND seq > ? AND kind = 'chunk' AND type <> 'usage'`,
    ),
    newestWords: all<[key: number], HistoryRow>(
      `SELECT record.*, bytes FROM record LEFT JOIN blob ON blob.sha256 = record.blob
        WHERE session_key = ? AND kind = 'chunk' AND type IN ('prompt', 'text') ORDER BY seq DESC LIMIT 8`,
    ),

    marks: all<[StretchOf], TurnRow>(`SELECT turn_id, seq, created_at, words FROM turn WHERE ${STRETCH} ORDER BY seq`),
    /** A turn of which nothing was copied gives its place to the next. */
    putMark: change<[key: number, seq: number, turnId: string, createdAt: number, words: string]>(
      'INSERT OR REPLACE INTO turn (session_key, seq, turn_id, created_at, words) VALUES (?, ?, ?, ?, ?)',
    ),
    dropMarks: change<[key: number, after: number]>('DELETE FROM turn WHERE session_key = ? AND seq > ?'),

    lowestVersion: one<[], { version: number | null }>('SELECT min(version) AS version FROM session'),
    abandon: change<[key: number]>('UPDATE session SET purge = 1 WHERE key = ? AND version < 0'),
    /** What a process left unfinished when it died: nobody was told of it. */
    abandonAll: change<[]>('UPDATE session SET purge = 1 WHERE version < 0'),
  };
}
