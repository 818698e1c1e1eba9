/**
 * The database's shape, as steps that only go forward: step n takes `user_version` n to n + 1. A step that has shipped is
 * never edited; a change is a new step.
 */
import type Database from 'better-sqlite3';
import { writer } from './transaction.ts';

export const STEPS: readonly string[] = [
  `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE session (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    workspace TEXT NOT NULL,
    model TEXT,
    effort TEXT,
    mode TEXT NOT NULL,
    status TEXT NOT NULL,
    head INTEGER NOT NULL,
    total INTEGER NOT NULL,
    version INTEGER NOT NULL UNIQUE,
    rev INTEGER NOT NULL,
    pinned INTEGER NOT NULL,
    archived INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    last_words TEXT NOT NULL,
    payload_hash TEXT,
    -- the claim: \`fence\` only rises; \`owner\` and \`turn_id\` are set while a turn is open
    fence INTEGER NOT NULL,
    owner TEXT,
    turn_id TEXT,
    resumes INTEGER NOT NULL,
    paused_seq INTEGER,
    paused_reason TEXT,
    -- what is pending and open, so that no hot path counts
    pending INTEGER NOT NULL,
    open_approvals INTEGER NOT NULL,
    -- what the wire needs to know at the next turn
    header INTEGER NOT NULL,
    context TEXT,
    continuable TEXT,
    armed INTEGER NOT NULL,
    deleted INTEGER NOT NULL,
    -- a deleted session's rows are still there
    purge INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX session_turn ON session (key) WHERE turn_id IS NOT NULL;
  CREATE INDEX session_runnable ON session (key) WHERE pending > 0 OR armed = 1;
  CREATE INDEX session_purge ON session (key) WHERE purge = 1;

  -- the log: chunks and events in one table, so that the database itself keeps it dense
  CREATE TABLE record (
    session_key INTEGER NOT NULL REFERENCES session (key),
    seq INTEGER NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    turn_id TEXT,
    step INTEGER,
    role TEXT,
    type TEXT NOT NULL,
    -- the JSON text it is sent as
    data TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    -- where the whole data is, when \`data\` is only a reference
    blob TEXT REFERENCES blob (sha256)
  ) STRICT;
  CREATE UNIQUE INDEX record_seq ON record (session_key, seq);
  CREATE UNIQUE INDEX record_id ON record (id);
  CREATE INDEX record_chunk ON record (session_key, seq) WHERE kind = 'chunk';
  CREATE INDEX record_blob ON record (blob) WHERE blob IS NOT NULL;

  -- where each turn begins, for jumping
  CREATE TABLE turn (
    session_key INTEGER NOT NULL REFERENCES session (key),
    seq INTEGER NOT NULL,
    turn_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    words TEXT NOT NULL,
    PRIMARY KEY (session_key, seq)
  ) STRICT, WITHOUT ROWID;

  -- by session id, not key: a tombstone may come before its session
  CREATE TABLE session_input (
    id TEXT PRIMARY KEY,
    session TEXT NOT NULL,
    seq INTEGER NOT NULL,
    delivery TEXT NOT NULL,
    parts TEXT NOT NULL,
    payload_hash TEXT,
    state TEXT NOT NULL,
    promoted_seq INTEGER,
    rank INTEGER NOT NULL,
    held INTEGER NOT NULL,
    seen_seq INTEGER,
    aimed_turn_id TEXT,
    composed_at INTEGER NOT NULL,
    rev INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX session_input_pending ON session_input (session, seq) WHERE state = 'pending';
  CREATE INDEX session_input_session ON session_input (session);

  CREATE TABLE approval (
    id TEXT PRIMARY KEY,
    session TEXT NOT NULL REFERENCES session (id),
    turn_id TEXT NOT NULL,
    step INTEGER NOT NULL,
    call_id TEXT NOT NULL,
    name TEXT NOT NULL,
    effect TEXT NOT NULL,
    summary TEXT NOT NULL,
    state TEXT NOT NULL,
    asked_at INTEGER NOT NULL,
    decided_by TEXT
  ) STRICT;
  CREATE INDEX approval_open ON approval (session, asked_at) WHERE state = 'open';
  CREATE INDEX approval_session ON approval (session);

  -- first answers, for retries
  CREATE TABLE command (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    session TEXT,
    result TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX command_session ON command (session) WHERE session IS NOT NULL;

  CREATE TABLE blob (sha256 TEXT PRIMARY KEY, mime TEXT NOT NULL, size INTEGER NOT NULL, bytes BLOB NOT NULL) STRICT;

  CREATE TABLE device (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    token_hash TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    revoked_at INTEGER
  ) STRICT;
  CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  `,
  // a fork says what it was copied from: by id, since the origin may be deleted
  `
  ALTER TABLE session ADD COLUMN origin_session TEXT;
  ALTER TABLE session ADD COLUMN origin_seq INTEGER;
  `,
];

/** The `user_version` that this code writes. */
export const FORMAT = STEPS.length;

/** Takes the steps that are missing: all of them, or none. */
export function migrate(db: Database.Database, steps: readonly string[] = STEPS): void {
  const found = db.pragma('user_version', { simple: true }) as number;
  if (found >= steps.length) return;
  writer(db)(() => {
    for (const step of steps.slice(found)) db.exec(step);
    db.pragma(`user_version = ${steps.length}`);
  });
}
