/**
 * What a dead server left on the disk, read from a copy, so that the next start finds the file and its log exactly as they
 * were left. Answers what is wrong with it.
 */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { LogRecord } from '#shared/protocol/records.ts';
import { statusOf, type RecordRow, type SessionRow } from '../../../server/store/sqlite/rows.ts';
import { breachesOf } from './log-laws.ts';
import { isPending, type SeenSession, type Witness } from './witness.ts';

interface InputFacts {
  id: string;
  session: string;
  state: string;
  promoted_seq: number | null;
}

/** Empty: every law holds, and everything that was acknowledged is there. */
export function breachesOnDisk(dataFolder: string, witness: Witness): string[] {
  return onCopy(dataFolder, (db) => breachesIn(db, witness));
}
/** At rest, nothing of what was deleted or given up is there any more. */
export function leftOnDisk(dataFolder: string): string[] {
  return onCopy(dataFolder, (db) => {
    const rows = db.prepare<[], { id: string }>('SELECT id FROM session WHERE purge = 1').all();
    return rows.map(({ id }) => `law 13: what ${id} has left was never removed`);
  });
}

function onCopy(dataFolder: string, look: (db: Database.Database) => string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-crash-copy-'));
  try {
    for (const name of ['cairn.db', 'cairn.db-wal'])
      if (existsSync(join(dataFolder, name))) copyFileSync(join(dataFolder, name), join(folder, name));
    const db = new Database(join(folder, 'cairn.db'));
    try {
      return look(db);
    } finally {
      db.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function breachesIn(db: Database.Database, witness: Witness): string[] {
  const bad: string[] = [];
  const integrity = db.pragma('integrity_check', { simple: true });
  if (integrity !== 'ok') bad.push(`the file is damaged: ${String(integrity)}`);
  const strays = db.pragma('foreign_key_check') as unknown[];
  if (strays.length > 0) bad.push(`rows point nowhere: ${JSON.stringify(strays)}`);
  const sessions = new Map(
    db
      .prepare<[], SessionRow>('SELECT * FROM session')
      .all()
      .map((row) => [row.id, row]),
  );
  for (const seen of witness.sessions.values()) {
    const row = sessions.get(seen.id);
    if (row === undefined) {
      if (seen.accepted) bad.push(`law 2: the session ${seen.id} is gone`);
    } else if (!seen.accepted && seen.forked) {
      // Nobody has been told yet how much of it was copied.
      continue;
    } else if (row.deleted === 1) {
      if (!seen.deleting) bad.push(`law 2: the session ${seen.id} was deleted by nobody`);
      if (row.turn_id !== null || row.pending !== 0 || row.open_approvals !== 0) bad.push(`law 13: ${seen.id} is deleted and goes on`);
      if (row.purge === 0) bad.push(...leftBehind(db, row));
    } else if (seen.gone) bad.push(`law 2: the deletion of ${seen.id} is gone`);
    else bad.push(...ofSession(db, row, seen).map((one) => `${seen.id}: ${one}`));
  }
  return bad;
}

function ofSession(db: Database.Database, row: SessionRow, seen: SeenSession): string[] {
  const bad: string[] = [];
  const records = db.prepare<[number], RecordRow>('SELECT * FROM record WHERE session_key = ? ORDER BY seq').all(row.key);
  const inputs = db
    .prepare<[string], InputFacts>('SELECT id, session, state, promoted_seq FROM session_input WHERE session = ?')
    .all(row.id);
  const opened = db
    .prepare<[number, number], { n: number }>('SELECT count(*) AS n FROM turn WHERE session_key = ? AND seq > ?')
    .get(row.key, seen.copied)!.n;
  const open = db
    .prepare<[string], { n: number }>("SELECT count(*) AS n FROM approval WHERE session = ? AND state = 'open'")
    .get(row.id)!.n;
  const same = (what: string, told: unknown, counted: unknown): void => {
    if (told !== counted) bad.push(`law 16: ${what} is said to be ${String(told)} and is ${String(counted)}`);
  };
  const begun = records.filter((record) => record.type === 'turn-started' && dataOf(record)['resumes'] !== record.turn_id);
  same('head', row.head, records.at(-1)?.seq ?? 0);
  same('total', row.total, records.filter((record) => record.kind === 'chunk' && record.type !== 'usage').length);
  same('pending', row.pending, inputs.filter((input) => input.state === 'pending').length);
  same('open_approvals', row.open_approvals, open);
  same('status', row.status, statusOf(row));
  same('the number of turns', opened, begun.length);
  same('the owner', row.owner === null, row.turn_id === null);
  const pausing = records.findLast((record) => record.type === 'paused' || record.type === 'resumed');
  same('the pause', row.paused_seq, pausing?.type === 'paused' ? pausing.seq : null);
  bad.push(
    ...breachesOf(
      records.map((record) => recordOf(row.id, record)),
      row.turn_id,
      seen.copied,
    ),
  );
  bad.push(...ofInputs(records, inputs, seen));
  for (const [seq, shown] of seen.records) {
    const kept = records[seq - 1];
    if (kept === undefined) bad.push(`law 2: the record ${seq} was shown and is gone`);
    else if ((JSON.parse(shown) as LogRecord).id !== kept.id) bad.push(`law 6: the record ${seq} is another one now`);
  }
  return bad;
}

/** Laws 1 and 2: what was accepted is there, in one lane, and is a prompt exactly when its row says so. */
function ofInputs(records: readonly RecordRow[], inputs: readonly InputFacts[], seen: SeenSession): string[] {
  const bad: string[] = [];
  const rows = new Map(inputs.map((input) => [input.id, input]));
  for (const record of records)
    if (record.type === 'prompt' && record.seq > seen.copied && !rows.has(record.id))
      bad.push(`law 1: the prompt ${record.id} has no input`);
  for (const input of inputs) {
    const prompt = records.find((record) => record.id === input.id);
    if ((input.state === 'promoted') !== (prompt !== undefined))
      bad.push(`law 1: ${input.id} is ${input.state} and its prompt is ${prompt?.seq ?? 'nowhere'}`);
    if (prompt !== undefined && prompt.seq !== input.promoted_seq)
      bad.push(`law 1: ${input.id} says ${input.promoted_seq} and stands at ${prompt.seq}`);
  }
  for (const input of seen.inputs.values()) {
    const kept = rows.get(input.id);
    if (input.accepted && kept === undefined) bad.push(`law 2: ${input.id} was accepted and is gone`);
    if (input.cancelled && kept?.state !== 'cancelled') bad.push(`law 1: ${input.id} was cancelled and is ${kept?.state ?? 'gone'}`);
    if (kept?.state === 'pending' && (input.answer ?? input.frame) !== null && !isPending(input))
      bad.push(`law 2: ${input.id} was promoted or cancelled, and waits again`);
  }
  return bad;
}

function leftBehind(db: Database.Database, row: SessionRow): string[] {
  const left = db.prepare<[number], { n: number }>('SELECT count(*) AS n FROM record WHERE session_key = ?').get(row.key)!.n;
  return left === 0 ? [] : [`${row.id} is deleted and ${left} of its records are there`];
}

function dataOf(record: RecordRow): Record<string, unknown> {
  return JSON.parse(record.data) as Record<string, unknown>;
}
function recordOf(sessionId: string, row: RecordRow): LogRecord {
  const base = { sessionId, seq: row.seq, id: row.id, createdAt: row.created_at, type: row.type, turnId: row.turn_id, data: dataOf(row) };
  return row.kind === 'event' ? { ...base, kind: 'event' } : { ...base, kind: 'chunk', step: row.step, role: row.role ?? 'system' };
}
