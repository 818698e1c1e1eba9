/** Sessions with a history, written through the server's own store into a data folder before a server runs on it. */
import { randomBytes } from 'node:crypto';
import { decisions } from '../../server/inbox/decisions.ts';
import type { RecordDraft } from '../../server/store/port.ts';
import { openSqliteStore } from '../../server/store/sqlite/open.ts';
import { newId } from '#shared/ids.ts';
import { admission, DONE, noPreface, sessionDraft, textRow } from './store-harness.ts';

export interface SeededTurn {
  prompt: string;
  /** Default: one short answer. */
  rows?(turnId: string, n: number): RecordDraft[];
}
export interface SeededSession {
  title: string;
  workspace: string;
  turns: readonly SeededTurn[];
}

const clock = { now: () => Date.now() };
const random = { unit: () => Math.random(), bytes: (n: number) => randomBytes(n) };

/** Answers each session's id and head. No server may run on the folder meanwhile. */
export async function seedSessions(dataFolder: string, sessions: readonly SeededSession[]): Promise<{ id: string; head: number }[]> {
  const report = (event: string, facts?: Record<string, unknown>): void => console.warn(event, facts ?? '');
  const store = await openSqliteStore({ folder: dataFolder, clock, random, report, decisions });
  const made: { id: string; head: number }[] = [];
  try {
    for (const { title, workspace, turns } of sessions) {
      const id = newId(clock, random);
      await store.createSession(sessionDraft({ id, title, workspace, now: clock.now() }));
      for (const [n, turn] of turns.entries()) {
        await store.admit({ ...admission(id, turn.prompt), inputId: newId(clock, random), now: clock.now() });
        const opened = await store.openTurn(id, 'seed', newId(clock, random), clock.now(), noPreface);
        if (opened === null) throw new Error('the turn did not open');
        const rows = turn.rows?.(opened.turnId, n) ?? [textRow(opened.turnId, 0, 0, `Answer ${n}.`)];
        await store.seal(opened.claim, rows, clock.now());
        await store.settle(opened.claim, opened.turnId, DONE, clock.now());
      }
      made.push({ id, head: (await store.timeline(id, 1)).head });
    }
  } finally {
    await store.close();
  }
  return made;
}
