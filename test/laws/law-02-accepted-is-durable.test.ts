/**
 * Law 2: a receipt that was answered survives. What is on the disk at the moment of the answer is copied, as a power cut would
 * leave it, and opened by itself: everything that was answered must be in it.
 */
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Receipt } from '#shared/protocol/summaries.ts';
import { decisions } from '../../server/inbox/decisions.ts';
import type { Store } from '../../server/store/port.ts';
import { openSqliteStore } from '../../server/store/sqlite/open.ts';
import { clock, type HttpStand, openStand, random, uuid } from '../support/http-stand.ts';

let stand: HttpStand;
beforeEach(async () => {
  stand = await openStand();
});
afterEach(() => stand.close());

/** The disk as it is now, seen by a new process. */
async function afterPowerCut<T>(look: (store: Store) => Promise<T>): Promise<T> {
  const copy = join(stand.folder, `copy-${uuid()}`);
  cpSync(join(stand.folder, 'data'), copy, { recursive: true, filter: (path) => !path.includes('lock.db') && !path.endsWith('-shm') });
  const store = await openSqliteStore({ folder: copy, clock, random, report: () => {}, decisions });
  try {
    return await look(store);
  } finally {
    await store.close();
    rmSync(copy, { recursive: true });
  }
}

describe('law 2: accepted is durable', () => {
  it('every receipt is on the disk when its answer is read', async () => {
    const session = await stand.session();
    const answered: Receipt[] = [];
    for (let at = 0; at < 12; at++) {
      const body = { content: [{ type: 'text', text: `words ${at}` }], delivery: at % 2 ? 'queue' : 'steer' };
      const answer = await stand.call('PUT', `/sessions/${session}/inputs/${uuid()}`, body);
      expect(answer.status).toBe(201);
      answered.push(answer.json as Receipt);
      const kept = await afterPowerCut((store) => Promise.all(answered.map(({ id }) => store.input(session, id))));
      expect(kept).toEqual(answered);
    }
  });

  it('so is every other answer: a rename, an edit, a cancellation, a pause, a deletion, a sign-in', async () => {
    const session = await stand.session();
    const [edited, cancelled] = [await stand.admit(session), await stand.admit(session)];
    await stand.turn(session);
    const steps: [string, () => Promise<unknown>, (store: Store) => Promise<unknown>, object][] = [
      [
        'rename',
        () => stand.call('PATCH', `/sessions/${session}`, { title: 'Named' }),
        (store) => store.session(session),
        { title: 'Named' },
      ],
      [
        'cancel',
        () => stand.call('DELETE', `/sessions/${session}/inputs/${cancelled}`),
        (store) => store.input(session, cancelled),
        { state: 'cancelled' },
      ],
      [
        'edit',
        () => stand.call('PATCH', `/sessions/${session}/inputs/${edited}`, { content: [{ type: 'text', text: 'new' }] }),
        (store) => store.input(session, edited),
        { content: [{ text: 'new' }] },
      ],
      [
        'pause',
        () => stand.call('POST', `/sessions/${session}/interrupt`),
        (store) => store.session(session),
        { paused: { reason: 'stopped' } },
      ],
      ['sign-in', () => stand.device('kept'), (store) => store.devices(), [{ name: 'kept' }]],
      ['delete', () => stand.call('DELETE', `/sessions/${session}`), (store) => store.session(session), { deleted: true }],
    ];
    for (const [what, act, look, wanted] of steps) {
      await act();
      expect(await afterPowerCut(look), what).toMatchObject(wanted);
    }
  });
});
