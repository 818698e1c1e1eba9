/** Opens the SQLite store: folder, lock, migrations, and the port's operations over them. */
import type Database from 'better-sqlite3';
import { newId } from '#shared/ids.ts';
import type { Store } from '../port.ts';
import { announcer } from './announcer.ts';
import { approval, askApproval, decideApproval } from './approvals.ts';
import type { Core } from './core.ts';
import { toldOnce } from './damage.ts';
import { DatabaseTooNew, DataFolderUnusable } from './errors.ts';
import { forksOf } from './fork.ts';
import { prepareForkStatements } from './fork-statements.ts';
import { holdFolder, openDatabase, prepareFolder } from './folder.ts';
import { admit, cancelInput, editInput, input } from './inputs.ts';
import type { OpenSqliteStore, SqliteStoreOptions } from './options.ts';
import { purger } from './purge.ts';
import { chunks, history, log, timeline, turnRecords, turns } from './reads.ts';
import { deviceOf, entryOf } from './rows.ts';
import { changeSession, createSession, deleteSession, sessionsSince } from './sessions.ts';
import { changeSettings, settings } from './settings.ts';
import { migrate } from './schema.ts';
import { prepareStatements } from './statements.ts';
import { reader, writer } from './transaction.ts';
import { openTurn, openTurns, promoteSteers, resume, runnableSessions, seal, settle, stop, takeOver } from './turns.ts';

/** See `options.ts`. The folder is this process's alone until `close`, or its death. */
export const openSqliteStore: OpenSqliteStore = async (options) => {
  const { folder } = options;
  prepareFolder(folder);
  const release = holdFolder(folder);
  let db: Database.Database | null = null;
  try {
    db = openDatabase(folder);
    migrate(db);
    return storeOver(coreOf(db, options), db, release);
  } catch (error) {
    db?.close();
    release();
    throw error instanceof DatabaseTooNew || error instanceof DataFolderUnusable ? error : new DataFolderUnusable(folder, error);
  }
};

function coreOf(db: Database.Database, { clock, random, report, decisions }: SqliteStoreOptions): Core {
  const sql = prepareStatements(db);
  const write = writer(db);
  const epoch = write(() => {
    const kept = sql.meta('epoch')?.value;
    if (kept !== undefined) return kept;
    const made = newId(clock, random);
    sql.putMeta('epoch', made);
    return made;
  });
  return { sql, write, read: reader(db), announcer: announcer(report), random, report, damaged: toldOnce(report), decisions, epoch };
}

function storeOver(core: Core, db: Database.Database, release: () => void): Store {
  const { sql } = core;
  const purge = purger(core);
  const forks = forksOf(core, prepareForkStatements(db), () => purge.start());
  purge.start();
  // every operation is done when it answers; being asynchronous is for adapters that are not
  return {
    epoch: core.epoch,
    onCommit: (listener) => core.announcer.add(listener),
    close: async () => {
      await forks.stop();
      await purge.stop();
      if (!db.open) return;
      db.close();
      release();
    },

    createSession: async (draft) => {
      const { origin } = draft;
      return origin === undefined ? createSession(core, draft) : forks.create({ ...draft, origin });
    },
    session: async (id) => {
      const row = sql.session(id);
      return row === undefined ? null : entryOf(row);
    },
    version: async () => sql.newestVersion()?.version ?? 0,
    sessionsSince: async (since, limit) => sessionsSince(core, since, limit),
    changeSession: async (id, change, baseRev, command) => changeSession(core, id, change, baseRev, command),
    deleteSession: async (id, command) => {
      const deleted = deleteSession(core, id, command);
      purge.start();
      return deleted;
    },

    admit: async (admission) => admit(core, admission),
    input: async (sessionId, inputId) => input(core, sessionId, inputId),
    editInput: async (sessionId, inputId, edit, baseRev, command) => editInput(core, sessionId, inputId, edit, baseRev, command),
    cancelInput: async (sessionId, inputId, command) => cancelInput(core, sessionId, inputId, command),
    runnableSessions: async () => runnableSessions(core),

    openTurn: async (sessionId, owner, turnId, now, preface) => openTurn(core, sessionId, owner, turnId, now, preface),
    takeOver: async (sessionId, owner, turnId, again, now) => takeOver(core, sessionId, owner, turnId, again, now),
    openTurns: async () => openTurns(core),
    promoteSteers: async (claim, turnId, step, now) => promoteSteers(core, claim, turnId, step, now),
    seal: async (claim, rows, now) => seal(core, claim, rows, now),
    settle: async (claim, turnId, end, now) => settle(core, claim, turnId, end, now),
    stop: async (sessionId, turnId, command) => stop(core, sessionId, turnId, command),
    resume: async (sessionId, pausedSeq, command) => resume(core, sessionId, pausedSeq, command),

    askApproval: async (claim, ask, now) => askApproval(core, claim, ask, now),
    decideApproval: async (sessionId, id, verdict, command) => decideApproval(core, sessionId, id, verdict, command),
    approval: async (id) => approval(core, id),

    log: async (sessionId, after, limit, maxBytes) => log(core, sessionId, after, limit, maxBytes),
    chunks: async (sessionId, before, limit) => chunks(core, sessionId, before, limit),
    timeline: async (sessionId, limit) => timeline(core, sessionId, limit),
    turns: async (sessionId, before, limit) => turns(core, sessionId, before, limit),
    history: async (sessionId, after, limit) => history(core, sessionId, after, limit),
    turnRecords: async (sessionId, turnId) => turnRecords(core, sessionId, turnId),
    recordId: async (sessionId, seq) => sql.recordId(sessionId, seq)?.id ?? null,
    blob: async (sha256) => sql.blob(sha256) ?? null,

    addDevice: async ({ id, name, tokenHash, now }) => {
      core.write(() => sql.insertDevice(id, name, tokenHash, now, now));
      return { id, name, createdAt: now, seenAt: now, revokedAt: null };
    },
    deviceByTokenHash: async (tokenHash) => {
      const row = sql.deviceByTokenHash(tokenHash);
      return row === undefined ? null : deviceOf(row);
    },
    devices: async () => sql.devices().map(deviceOf),
    revokeDevice: async (id, now) => {
      const row = core.write(() => {
        sql.revokeDevice(now, id);
        return sql.device(id) ?? null;
      });
      return row === null ? null : deviceOf(row);
    },
    seenDevice: async (id, now) => {
      core.write(() => sql.seenDevice(now, id));
    },
    settings: async () => settings(core),
    changeSettings: async (patch, command) => changeSettings(core, patch, command),
  };
}
