/** Fills a server's database with made-up sessions, straight into its tables while the server is down. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { isShown } from '#shared/protocol/records.ts';
import { headOf, markOf, promptIdOf, recordAt, shownSize, type Plan } from '../log/history.ts';

/** The sessions must be there, and empty. */
export function seedServer(dataFolder: string, plans: readonly Plan[]): void {
  const db = new Database(join(dataFolder, 'cairn.db'));
  try {
    // A database that is thrown away needs no journal.
    db.pragma('journal_mode = MEMORY');
    db.pragma('synchronous = OFF');
    db.pragma('cache_size = -262144');
    db.transaction(() => plans.forEach((plan) => seedSession(db, plan)))();
    db.pragma('journal_mode = WAL');
    db.exec('ANALYZE');
  } finally {
    db.close();
  }
}

function seedSession(db: Database.Database, plan: Plan): void {
  const { key } = db.prepare<[string], { key: number }>('SELECT key FROM session WHERE id = ?').get(plan.sessionId)!;
  const insert = db.prepare(
    `INSERT INTO record (session_key, seq, id, kind, turn_id, step, role, type, data, created_at, blob)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)`,
  );
  const turn = db.prepare('INSERT INTO turn (session_key, seq, turn_id, created_at, words) VALUES (?, ?, ?, ?, ?)');
  const input = db.prepare(
    `INSERT INTO session_input (id, session, seq, delivery, parts, payload_hash, state, promoted_seq, rank, held, seen_seq, aimed_turn_id, composed_at, rev)
      VALUES (?, ?, ?, 'steer', ?, NULL, 'promoted', ?, 0, 0, NULL, NULL, ?, 1)`,
  );
  const head = headOf(plan);
  let shown = 0;
  for (let seq = 1; seq <= head; seq++) {
    const record = recordAt(plan, seq);
    const [step, role] = record.kind === 'chunk' ? [record.step, record.role] : [null, null];
    if (record.kind === 'chunk' && isShown(record)) shown++;
    insert.run(key, seq, record.id, record.kind, record.turnId, step, role, record.type, JSON.stringify(record.data), record.createdAt);
  }
  if (shown !== plan.turns * shownSize(plan.kind)) throw new Error(`${shown} shown chunks are not what was planned`);
  for (let n = 0; n < plan.turns; n++) {
    const { seq, turnId, createdAt, words } = markOf(plan, n);
    turn.run(key, seq, turnId, createdAt, words);
    input.run(promptIdOf(plan, n), plan.sessionId, seq - 1, JSON.stringify([{ type: 'text', text: words }]), seq, createdAt);
  }
  db.prepare('UPDATE session SET head = ?, total = ?, last_words = ?, updated_at = ? WHERE key = ?').run(
    head,
    shown,
    plan.newest,
    recordAt(plan, head).createdAt,
    key,
  );
}
