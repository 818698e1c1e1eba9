/** Every SQL statement of the store, prepared once, in one typed place. */
import type Database from 'better-sqlite3';
import { statementMakers } from './statement-makers.ts';
import type { ApprovalRow, DeviceRow, Flag, InputRow, RecordRow, SessionRow } from './rows.ts';
import type { ApprovalState, Delivery } from '#shared/protocol/records.ts';

const SESSION_COLUMNS: readonly (keyof SessionRow)[] = [
  ...(['id', 'title', 'workspace', 'model', 'effort', 'mode', 'status', 'head', 'total', 'version', 'rev'] as const),
  ...(['pinned', 'archived', 'created_at', 'updated_at', 'last_words', 'payload_hash', 'fence', 'owner'] as const),
  ...(['turn_id', 'resumes', 'paused_seq', 'paused_reason', 'pending', 'open_approvals'] as const),
  ...(['header', 'context', 'continuable', 'armed', 'deleted', 'purge', 'origin_session', 'origin_seq'] as const),
];
const INPUT_COLUMNS: readonly (keyof InputRow)[] = [
  ...(['id', 'session', 'seq', 'delivery', 'parts', 'payload_hash', 'state', 'promoted_seq'] as const),
  ...(['rank', 'held', 'seen_seq', 'aimed_turn_id', 'composed_at', 'rev'] as const),
];
const APPROVAL_COLUMNS: readonly (keyof ApprovalRow)[] = [
  ...(['id', 'session', 'turn_id', 'step', 'call_id', 'name', 'effect', 'summary', 'state', 'asked_at', 'decided_by'] as const),
];
const RECORD_COLUMNS = 'seq, id, kind, turn_id, step, role, type, data, created_at, blob';

function insert(table: string, columns: readonly string[]): string {
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((name) => `@${name}`).join(', ')})`;
}
function update(table: string, key: string, columns: readonly string[]): string {
  return `UPDATE ${table} SET ${columns.map((name) => `${name} = @${name}`).join(', ')} WHERE ${key} = @${key}`;
}

export interface WaitingRow {
  id: string;
  seq: number;
  delivery: Delivery;
  rank: number;
  held: Flag;
}
export interface TurnRow {
  turn_id: string;
  seq: number;
  created_at: number;
  words: string;
}
export interface OpenTurnRow {
  id: string;
  turn_id: string;
  owner: string;
  resumes: number;
}
export type HistoryRow = RecordRow & { bytes: Buffer | null };
export type Statements = ReturnType<typeof prepareStatements>;

export function prepareStatements(db: Database.Database) {
  const { change, one, all, each } = statementMakers(db);
  return {
    meta: one<[key: string], { value: string }>('SELECT value FROM meta WHERE key = ?'),
    putMeta: change<[key: string, value: string]>('INSERT INTO meta (key, value) VALUES (?, ?)'),

    session: one<[id: string], SessionRow>('SELECT * FROM session WHERE id = ?'),
    insertSession: change<[SessionRow]>(insert('session', SESSION_COLUMNS)),
    updateSession: change<[SessionRow]>(update('session', 'key', SESSION_COLUMNS)),
    newestVersion: one<[], { version: number | null }>('SELECT max(version) AS version FROM session'),
    sessionsAfter: all<[version: number, limit: number], SessionRow>('SELECT * FROM session WHERE version > ? ORDER BY version LIMIT ?'),
    openTurns: all<[], OpenTurnRow>('SELECT id, turn_id, owner, resumes FROM session WHERE turn_id IS NOT NULL ORDER BY key'),
    runnableSessions: all<[], { id: string }>(
      `SELECT id FROM session WHERE (pending > 0 OR armed = 1) AND turn_id IS NULL AND paused_seq IS NULL AND deleted = 0
        AND (armed = 1 OR EXISTS (SELECT 1 FROM session_input AS i WHERE i.session = session.id AND i.state = 'pending' AND i.held = 0))
        ORDER BY key`,
    ),

    insertRecord: change<
      [number, number, string, string, string | null, number | null, string | null, string, string, number, string | null]
    >(`INSERT INTO record (session_key, ${RECORD_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`),
    recordExists: one<[id: string], { found: 1 }>('SELECT 1 AS found FROM record WHERE id = ?'),
    recordId: one<[session: string, seq: number], { id: string }>(
      'SELECT record.id FROM record JOIN session ON session.key = session_key WHERE session.id = ? AND seq = ? AND deleted = 0',
    ),
    recordsAfter: each<[key: number, after: number, limit: number], RecordRow>(
      `SELECT ${RECORD_COLUMNS} FROM record WHERE session_key = ? AND seq > ? ORDER BY seq LIMIT ?`,
    ),
    recordsBefore: each<[key: number, before: number, limit: number], RecordRow>(
      `SELECT ${RECORD_COLUMNS} FROM record WHERE session_key = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
    ),
    chunksBefore: each<[key: number, before: number, limit: number], RecordRow>(
      `SELECT ${RECORD_COLUMNS} FROM record INDEXED BY record_chunk
        WHERE session_key = ? AND kind = 'chunk' AND seq < ? ORDER BY seq DESC LIMIT ?`,
    ),
    history: each<[key: number, after: number, limit: number], HistoryRow>(
      `SELECT ${RECORD_COLUMNS}, bytes FROM record LEFT JOIN blob ON blob.sha256 = record.blob
        WHERE session_key = ? AND seq > ? ORDER BY seq LIMIT ?`,
    ),
    turnHistory: each<[key: number, from: number, turnId: string], HistoryRow>(
      `SELECT ${RECORD_COLUMNS}, bytes FROM record LEFT JOIN blob ON blob.sha256 = record.blob
        WHERE session_key = ? AND seq >= ? AND turn_id = ? ORDER BY seq`,
    ),

    insertTurn: change<[key: number, seq: number, turnId: string, createdAt: number, words: string]>(
      'INSERT INTO turn (session_key, seq, turn_id, created_at, words) VALUES (?, ?, ?, ?, ?)',
    ),
    turnSeq: one<[key: number, turnId: string], { seq: number }>(
      'SELECT seq FROM turn WHERE session_key = ? AND turn_id = ? ORDER BY seq DESC LIMIT 1',
    ),
    turnsBefore: all<[key: number, before: number, limit: number], TurnRow>(
      'SELECT turn_id, seq, created_at, words FROM turn WHERE session_key = ? AND seq < ? ORDER BY seq DESC LIMIT ?',
    ),

    input: one<[id: string], InputRow>('SELECT * FROM session_input WHERE id = ?'),
    insertInput: change<[InputRow]>(insert('session_input', INPUT_COLUMNS)),
    updateInput: change<[InputRow]>(update('session_input', 'id', INPUT_COLUMNS)),
    setRank: change<[rank: number, id: string]>('UPDATE session_input SET rank = ? WHERE id = ?'),
    releaseHeld: change<[session: string]>("UPDATE session_input SET held = 0 WHERE session = ? AND state = 'pending' AND held = 1"),
    pendingInputs: all<[session: string], InputRow>("SELECT * FROM session_input WHERE session = ? AND state = 'pending' ORDER BY seq"),
    waiting: all<[session: string], WaitingRow>(
      "SELECT id, seq, delivery, rank, held FROM session_input WHERE session = ? AND state = 'pending' ORDER BY seq",
    ),

    approval: one<[id: string], ApprovalRow>('SELECT * FROM approval WHERE id = ?'),
    insertApproval: change<[ApprovalRow]>(insert('approval', APPROVAL_COLUMNS)),
    decideApproval: change<[state: ApprovalState, by: string | null, id: string]>(
      'UPDATE approval SET state = ?, decided_by = ? WHERE id = ?',
    ),
    openApprovals: all<[session: string], ApprovalRow>("SELECT * FROM approval WHERE session = ? AND state = 'open' ORDER BY asked_at, id"),

    command: one<[id: string], { name: string; result: string }>('SELECT name, result FROM command WHERE id = ?'),
    insertCommand: change<[id: string, name: string, session: string | null, result: string, createdAt: number]>(
      'INSERT INTO command (id, name, session, result, created_at) VALUES (?, ?, ?, ?, ?)',
    ),

    blob: one<[sha256: string], { mime: string; size: number; bytes: Buffer }>('SELECT mime, size, bytes FROM blob WHERE sha256 = ?'),
    insertBlob: change<[sha256: string, mime: string, size: number, bytes: Buffer]>(
      'INSERT INTO blob (sha256, mime, size, bytes) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
    ),

    insertDevice: change<[id: string, name: string, tokenHash: string, createdAt: number, seenAt: number]>(
      'INSERT INTO device (id, name, token_hash, created_at, seen_at) VALUES (?, ?, ?, ?, ?)',
    ),
    deviceByTokenHash: one<[tokenHash: string], DeviceRow>('SELECT * FROM device WHERE token_hash = ?'),
    device: one<[id: string], DeviceRow>('SELECT * FROM device WHERE id = ?'),
    devices: all<[], DeviceRow>('SELECT * FROM device ORDER BY created_at, id'),
    revokeDevice: change<[now: number, id: string]>('UPDATE device SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL'),
    seenDevice: change<[now: number, id: string]>('UPDATE device SET seen_at = ? WHERE id = ?'),
    settings: all<[], { key: string; value: string }>('SELECT key, value FROM setting'),
    putSetting: change<[key: string, value: string]>(
      'INSERT INTO setting (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
    ),

    toPurge: all<[], { key: number; id: string }>('SELECT key, id FROM session WHERE purge = 1'),
    purgeBlobs: all<[key: number, limit: number], { blob: string }>(
      `SELECT DISTINCT blob FROM (SELECT blob FROM record WHERE session_key = ? ORDER BY seq LIMIT ?) WHERE blob IS NOT NULL`,
    ),
    purgeRecords: change<[key: number, limit: number]>(
      'DELETE FROM record WHERE rowid IN (SELECT rowid FROM record WHERE session_key = ? ORDER BY seq LIMIT ?)',
    ),
    purgeBlob: change<[sha256: string]>(
      'DELETE FROM blob WHERE sha256 = ? AND NOT EXISTS (SELECT 1 FROM record WHERE record.blob = blob.sha256)',
    ),
    purgeTurns: change<[key: number]>('DELETE FROM turn WHERE session_key = ?'),
    purgeApprovals: change<[session: string]>('DELETE FROM approval WHERE session = ?'),
    purgeWords: change<[session: string]>("UPDATE session_input SET parts = '[]' WHERE session = ?"),
    purgeCommands: change<[session: string]>('DELETE FROM command WHERE session = ?'),
    purged: change<[key: number]>('UPDATE session SET purge = 0 WHERE key = ?'),
    /** A fork that was never finished has no id that anybody knows: its row goes too. */
    dropStaged: change<[key: number]>('DELETE FROM session WHERE key = ? AND version < 0'),
  };
}
