/** Opens the SQLite store: folder, lock, migrations, and the port's operations over them. */
import type Database from 'better-sqlite3';
import { newId } from '#shared/ids.ts';
import type { Store } from '../port.ts';
import { announcer, type Announcer } from './announcer.ts';
import { approval, askApproval, decideApproval } from './approvals.ts';
import type { Core } from './core.ts';
import { toldOnce } from './damage.ts';
import { asRefusal } from './errors.ts';
import { forksOf } from './fork.ts';
import { prepareForkStatements } from './fork-statements.ts';
import { holdFolder, prepareFolder } from './folder.ts';
import { groupOver, type Group } from './group.ts';
import { admit, cancelInput, editInput, input } from './inputs.ts';
import { lineageOf } from './lineage.ts';
import type { OpenSqliteStore, SqliteStoreOptions } from './options.ts';
import { purger } from './purge.ts';
import { openReady } from './ready.ts';
import { chunks, history, log, timeline, turnRecords, turns } from './reads.ts';
import { deviceOf, entryOf } from './rows.ts';
import { changeSession, createSession, deleteSession, sessionsSince } from './sessions.ts';
import { changeSettings, settings } from './settings.ts';
import { prepareStatements } from './statements.ts';
import { openTurn, openTurns, promoteSteers, resume, runnableSessions, seal, settle, stop, takeOver } from './turns.ts';

/** See `options.ts`. The folder is this process's alone until `close`, or its death. */
export const openSqliteStore: OpenSqliteStore = async (options) => {
  const { folder } = options;
  prepareFolder(folder);
  const release = holdFolder(folder);
  let db: Database.Database | null = null;
  try {
    db = openReady(folder, options.clock);
    const lineage = lineageOf(db, folder, options);
    if (lineage.isOther) options.report('database-restored', { folder });
    const store = storeOn(db, options, () => {
      lineage.close();
      release();
    });
    store.onCommit(({ session }) => lineage.served(session.version));
    return store;
  } catch (error) {
    db?.close();
    release();
    throw asRefusal(folder, error);
  }
};

/** The store over a database that is open already, is in this version's format, and is nobody else's. `release`: called once it is closed. */
export function storeOn(db: Database.Database, options: Omit<SqliteStoreOptions, 'folder'>, release: () => void): Store {
  return storeOver(coreOf(db, options), db, release);
}

interface Parts {
  core: Core;
  group: Group;
  announcer: Announcer;
}

function coreOf(db: Database.Database, { clock, random, report, decisions }: Omit<SqliteStoreOptions, 'folder'>): Parts {
  const sql = prepareStatements(db);
  const news = announcer(report);
  const group = groupOver(db, news.tell, report);
  const { write, read, committed } = group;
  const epoch = write(() => {
    const kept = sql.meta('epoch')?.value;
    if (kept !== undefined) return kept;
    const made = newId(clock, random);
    sql.putMeta('epoch', made);
    return made;
  });
  return { core: { sql, write, read, committed, random, report, damaged: toldOnce(report), decisions, epoch }, group, announcer: news };
}

function storeOver({ core, group, announcer: news }: Parts, db: Database.Database, release: () => void): Store {
  const { sql } = core;
  const { run } = group;
  const purge = purger(core);
  const forks = forksOf(core, prepareForkStatements(db), { run, purge: () => purge.start() });
  purge.start();
  // reads are done when they answer; what writes waits for its round (`group.ts`)
  return {
    epoch: core.epoch,
    onCommit: (listener) => news.add(listener),
    close: async () => {
      await forks.stop();
      await purge.stop();
      group.flush();
      if (!db.open) return;
      db.close();
      release();
    },

    createSession: (draft) => {
      const { origin } = draft;
      return origin === undefined ? run(() => createSession(core, draft)) : forks.create({ ...draft, origin });
    },
    session: async (id) => {
      const row = sql.session(id);
      return row === undefined ? null : entryOf(row);
    },
    version: async () => sql.newestVersion()?.version ?? 0,
    sessionsSince: async (since, limit) => sessionsSince(core, since, limit),
    changeSession: (id, change, baseRev, command) => run(() => changeSession(core, id, change, baseRev, command)),
    deleteSession: async (id, command) => {
      const deleted = await run(() => deleteSession(core, id, command));
      purge.start();
      return deleted;
    },

    admit: (admission) => run(() => admit(core, admission)),
    input: async (sessionId, inputId) => input(core, sessionId, inputId),
    editInput: (sessionId, inputId, edit, baseRev, command) => run(() => editInput(core, sessionId, inputId, edit, baseRev, command)),
    cancelInput: (sessionId, inputId, command) => run(() => cancelInput(core, sessionId, inputId, command)),
    runnableSessions: async () => runnableSessions(core),

    openTurn: (sessionId, owner, turnId, now, preface) => run(() => openTurn(core, sessionId, owner, turnId, now, preface)),
    takeOver: (sessionId, owner, turnId, again, now) => run(() => takeOver(core, sessionId, owner, turnId, again, now)),
    openTurns: async () => openTurns(core),
    promoteSteers: (claim, turnId, step, now) => run(() => promoteSteers(core, claim, turnId, step, now)),
    seal: (claim, rows, now) => run(() => seal(core, claim, rows, now)),
    settle: (claim, turnId, end, now) => run(() => settle(core, claim, turnId, end, now)),
    stop: (sessionId, turnId, command) => run(() => stop(core, sessionId, turnId, command)),
    resume: (sessionId, pausedSeq, command) => run(() => resume(core, sessionId, pausedSeq, command)),

    askApproval: (claim, ask, now) => run(() => askApproval(core, claim, ask, now)),
    decideApproval: (sessionId, id, verdict, command) => run(() => decideApproval(core, sessionId, id, verdict, command)),
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
      await run(() => core.write(() => sql.insertDevice(id, name, tokenHash, now, now)));
      return { id, name, createdAt: now, seenAt: now, revokedAt: null };
    },
    deviceByTokenHash: async (tokenHash) => {
      const row = sql.deviceByTokenHash(tokenHash);
      return row === undefined ? null : deviceOf(row);
    },
    devices: async () => sql.devices().map(deviceOf),
    revokeDevice: async (id, now) => {
      const row = await run(() =>
        core.write(() => {
          sql.revokeDevice(now, id);
          return sql.device(id) ?? null;
        }),
      );
      return row === null ? null : deviceOf(row);
    },
    seenDevice: async (id, now) => {
      await run(() => core.write(() => sql.seenDevice(now, id)));
    },
    settings: async () => settings(core),
    changeSettings: (patch, command) => run(() => changeSettings(core, patch, command)),
  };
}
