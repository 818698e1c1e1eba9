/** A long session is forked in many transactions. Killed in the middle, nobody ever sees a part of it, and the next try makes it whole. */
import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LogRecord } from '#shared/protocol/records.ts';
import { seedSessions } from '../support/seeded.ts';
import { textRow } from '../support/store-harness.ts';
import { buildServer, type Program } from './kit/build.ts';
import type { Chain } from './kit/chain.ts';
import { chained } from './kit/run.ts';
import { SeenSession } from './kit/witness.ts';

/** Records that one transaction copies, and turns of the session. */
const STRETCH = 500;
const TURNS = 40;
const ROWS = 75;

let program: Program;
beforeAll(async () => {
  program = await buildServer();
});
afterAll(() => program.remove());

async function longSession(chain: Chain): Promise<SeenSession> {
  const rows = (turnId: string) => Array.from({ length: ROWS }, (_, i) => textRow(turnId, 0, i, `row ${i}`));
  const turns = Array.from({ length: TURNS }, (_, n) => ({ prompt: `turn ${n}`, rows }));
  const [made] = await seedSessions(chain.server.dataFolder, [{ title: 'long', workspace: chain.server.workspace, turns }]);
  const session = new SeenSession(made!.id, 'ask', false);
  session.accepted = true;
  chain.witness.sessions.set(session.id, session);
  return session;
}
/** Kills the server once it has copied more than `records` into a fork that is not whole. */
async function killInTheCopy(chain: Chain, records: number): Promise<void> {
  const db = new Database(join(chain.server.dataFolder, 'cairn.db'), { readonly: true });
  try {
    const copied = db.prepare<[], { n: number }>(
      'SELECT count(*) AS n FROM record WHERE session_key IN (SELECT key FROM session WHERE version < 0)',
    );
    for (const end = Date.now() + 30_000; copied.get()!.n <= records; await nextTick()) {
      if (Date.now() > end) throw new Error('the copy was never seen');
    }
    await chain.died(`in a copy, behind ${records}`);
  } finally {
    db.close();
  }
}
const said = (records: readonly LogRecord[]): unknown[] => records.flatMap((record) => (record.kind === 'chunk' ? [record.data] : []));

test('law 2, law 5: killed again and again while a long session is forked', async () => {
  const chain = await chained('forks', program.file, async (chain) => {
    const origin = await longSession(chain);
    await chain.server.start('');
    await chain.user.comeBack();
    await chain.user.log(origin);
    const seq = origin.ends.at(-1)!;
    const asked = chain.user.fork(origin, seq);
    await killInTheCopy(chain, 0);
    await asked;
    for (let n = 1; n < 5; n++) {
      await chain.server.start('');
      const again = chain.user.comeBack();
      await killInTheCopy(chain, n * STRETCH);
      await again;
    }
    await chain.quiet();
    await chain.server.start('');
    await chain.user.comeBack();
    const fork = chain.witness.living.find((session) => session.forked)!;
    const copy = (await chain.user.log(fork))!.records;
    expect(copy.length).toBeGreaterThan(TURNS * ROWS);
    expect(said(copy)).toEqual(said((await chain.user.log(origin))!.records.slice(0, seq)));
    await chain.user.prompt(fork, 'run', 'steer');
  });
  expect(chain.kills).toHaveLength(5);
}, 300_000);
