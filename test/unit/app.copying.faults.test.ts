/** What can go wrong while the history is copied: never a circle, never a hole that is hidden, never the chat. */
import { describe, expect, test } from 'vitest';
import { EPOCH_HEADER } from '#shared/protocol/version.ts';
import { diskMirror } from '../../app/mirror/indexeddb.ts';
import type { Mirror } from '../../app/mirror/port.ts';
import { IDBKeyRange } from 'fake-indexeddb';
import { pause, realTimers, until, type Tab } from '../support/device/device.ts';
import { clock, openStand, uuid } from '../support/http-stand.ts';
import { device, stand, useDevice } from '../support/device/use-device.ts';

useDevice();

async function history(turns: number, chunks: number): Promise<{ id: string; head: number }> {
  const id = await stand.session();
  for (let turn = 0; turn < turns; turn++) {
    const { claim, turnId } = await stand.turn(id);
    await stand.seal(
      claim,
      turnId,
      0,
      Array.from({ length: chunks }, (_, at) => `word ${turn}.${at}`),
    );
    await stand.store.settle(claim, turnId, { reason: 'done', rows: [], pause: null, unlessSteers: false }, clock.now());
  }
  return { id, head: (await stand.store.timeline(id, 1)).head };
}
const isWhole = async (tab: Tab, id: string, head: number): Promise<boolean> => {
  const { cursor, runs } = await tab.mirror.coverage(id);
  return cursor === head && runs.length === 1 && runs[0]!.from === 1 && runs[0]!.to === head;
};
const logAsks = (tab: Tab, id: string): string[] => tab.cable.calls.map(({ path }) => path).filter((path) => path.includes(`${id}/log?`));
const answer = (records: unknown): { status: number; text: string; headers: Record<string, string> } => ({
  status: 200,
  headers: { [EPOCH_HEADER]: stand.store.epoch },
  text: JSON.stringify({ records, head: 9_999, epoch: stand.store.epoch }),
});

describe('room', () => {
  test('B18: a copy that finds the disk full drops no session, loses no mirror, and is tried again after a restart', async () => {
    const other = await history(1, 5);
    const { id, head } = await history(12, 150);
    let full = false;
    const onDisk = diskMirror('cairn-mirror', { indexedDB: device.factory, IDBKeyRange, timers: realTimers });
    const inner = Object.assign(new Error('aborted'), { name: 'AbortError', inner: { name: 'QuotaExceededError' } });
    const filling = new Proxy(onDisk, {
      get(target, name) {
        if (name === 'copy' && full) return () => Promise.reject(inner);
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    }) as Mirror;
    const tab = device.tab({ copies: true, mirror: filling });
    tab.cable.fate = ({ path }) => {
      if (path.includes('/log?')) full = true;
      return 'pass';
    };
    await tab.live();
    await until(() => tab.screen.copyingView?.state === 'full', 'it says that there is no room');
    expect(tab.screen.copyingView).toMatchObject({ sessionId: id, of: head });
    expect(tab.screen.inMemory).toBe(false);
    expect((await onDisk.projections(other.id)).cursor.seq).toBe(other.head);
    expect(tab.reports).toEqual([]);
    const asked = tab.cable.calls.length;
    await pause(100);
    expect(tab.cable.calls.length).toBe(asked);
    tab.kill();
    full = false;
    const later = await device.tab({ copies: true }).live();
    await until(() => isWhole(later, id, head), 'after a restart there was room', 15_000);
  });
  test('past four fifths of what the browser gives nothing more is copied, until there is room when the link is back', async () => {
    const { id, head } = await history(12, 150);
    device.roomUsed = 0.81;
    const tab = await device.tab({ copies: true }).live();
    await until(() => tab.screen.copyingView?.state === 'full', 'it says that there is no room');
    expect(tab.cable.calls.filter(({ path }) => path.includes(id))).toEqual([]);
    device.roomUsed = 0.5;
    tab.cable.drop();
    await until(() => isWhole(tab, id, head), 'all is here', 15_000);
  });
});

describe('answers that are not what they must be', () => {
  const odd: [string, unknown][] = [
    ['an empty page below the head', []],
    ['a page with a hole', [{ seq: 1 }, { seq: 3 }]],
    ['a page of somewhere else', [{ seq: 5_000 }]],
  ];
  test.each(odd)('%s: asked a few times, then left until the link is back', async (_, records) => {
    const { id, head } = await history(12, 150);
    const fine = await history(1, 250);
    let isOdd = true;
    const tab = device.tab({ copies: true });
    tab.cable.fate = ({ path }) => (isOdd && path.includes(`${id}/log?`) ? answer(records) : 'pass');
    await tab.live();
    await until(() => isWhole(tab, fine.id, fine.head), 'the other session is copied', 10_000);
    await until(() => tab.reports.some(({ event }) => event === 'copying.odd'), 'it is reported');
    await pause(150);
    expect(logAsks(tab, id).length).toBeLessThanOrEqual(3);
    expect(await tab.mirror.readBefore(id, head + 1, 10_000)).toMatchObject({ to: head });
    expect((await tab.mirror.coverage(id)).runs.length).toBe(1);
    isOdd = false;
    tab.cable.drop();
    await until(() => isWhole(tab, id, head), 'it goes on', 15_000);
  });
  test('an error for one session leaves the others', async () => {
    const { id } = await history(12, 150);
    const fine = await history(1, 250);
    const tab = device.tab({ copies: true });
    tab.cable.fate = ({ path }) => (path.includes(`${id}/turns?`) ? tab.cable.envelope(404, 'not-found', false) : 'pass');
    await tab.live();
    await until(() => isWhole(tab, fine.id, fine.head), 'the other session is copied', 10_000);
    expect(await isWhole(tab, id, 0)).toBe(false);
    expect(tab.cable.calls.filter(({ path }) => path.includes(`${id}/turns?`)).length).toBe(1);
  });
});

describe('while it is copied', () => {
  /** Holds the copying of `id` at its second page until `go`. */
  async function held(tab: Tab, id: string): Promise<() => void> {
    let pages = 0;
    let go = false;
    tab.cable.hold = async ({ path }) => {
      if (path.includes(`${id}/log?`) && ++pages === 2) await until(() => go, 'the test lets it go on', 15_000);
    };
    await tab.live();
    await until(() => pages === 2, 'the second page is under way');
    return () => {
      go = true;
    };
  }
  test('the session is deleted: nothing of it comes back', async () => {
    const { id } = await history(12, 150);
    const tab = device.tab({ copies: true });
    const go = await held(tab, id);
    await stand.call('DELETE', `/sessions/${id}`);
    await until(() => !tab.screen.rows.has(id), 'it is gone from the list');
    go();
    await until(() => tab.screen.copyingView === null, 'nothing is left to copy');
    await pause(50);
    expect(await tab.mirror.coverage(id)).toMatchObject({ cursor: 0, runs: [] });
    expect((await tab.mirror.turns(id, null, 10)).turns).toEqual([]);
  });
  test('its log is dropped: the late answer is void, and it is copied anew', async () => {
    const { id, head } = await history(12, 150);
    const tab = device.tab({ copies: true });
    const go = await held(tab, id);
    await tab.mirror.dropLog(id);
    go();
    await until(() => isWhole(tab, id, head), 'it is copied anew', 15_000);
    expect((await tab.mirror.readAfter(id, 0, 100)).records[0]?.seq).toBe(1);
  });
  test('the user signs out: nothing is written any more', async () => {
    const { id } = await history(12, 150);
    const tab = device.tab({ copies: true });
    const go = await held(tab, id);
    await tab.commands.signOut();
    go();
    await pause(100);
    expect(tab.screen.copyingView).toBeNull();
    expect(await tab.mirror.coverage(id)).toMatchObject({ cursor: 0, runs: [] });
  });
});

describe('B4: another history', () => {
  test('meanwhile: what was copied of the old one goes, and the new one is copied whole', async () => {
    const { id } = await history(12, 150);
    const first = device.tab({ copies: true });
    first.cable.fate = ({ path }) => (path.includes(`${id}/log?`) && logAsks(first, id).length > 2 ? 'hang' : 'pass');
    await first.live();
    await until(() => logAsks(first, id).length > 2, 'it copies');
    const restored = await openStand();
    try {
      const other = await restored.session();
      const { claim, turnId } = await restored.turn(other);
      await restored.seal(
        claim,
        turnId,
        0,
        Array.from({ length: 300 }, (_, at) => `new ${at}`),
      );
      const { head } = await restored.store.timeline(other, 1);
      first.cable.stand = restored;
      first.cable.drop();
      await until(() => isWhole(first, other, head), 'the new one is here', 15_000);
      expect(await first.mirror.coverage(id)).toMatchObject({ cursor: 0, runs: [] });
    } finally {
      first.kill();
      await restored.close();
    }
  });
});

describe('data by reference', () => {
  const long = (text: string): string => text.repeat(70_000 / text.length);
  test('of words comes along, so that answers read whole offline; what is too large, or no words, does not', async () => {
    const id = await stand.session();
    const { claim, turnId } = await stand.turn(id);
    const row = (i: number, type: string, role: 'assistant' | 'tool', data: unknown) => ({
      kind: 'chunk' as const,
      id: `${turnId}.0.m.${i}`,
      turnId,
      step: 0,
      role,
      type,
      data,
    });
    const rows = [row(0, 'text', 'assistant', { text: long('old words ') })];
    for (let i = 1; i < 400; i++) rows.push(row(i, 'text', 'assistant', { text: `word ${i}` }));
    rows.push(row(400, 'text', 'assistant', { text: long('new words ') }));
    rows.push(row(401, 'text', 'assistant', { text: 'x'.repeat(1_200_000) }));
    rows.push(row(402, 'tool_result', 'tool', { callId: 'c', content: [{ type: 'text', text: long('output ') }], isError: false }));
    const sealed = await stand.store.seal(claim, rows, clock.now());
    const { head } = await stand.store.timeline(id, 1);
    const shaOf = (at: number): string => (sealed[at]!.data as { blob: { sha256: string } }).blob.sha256;
    const tab = await device.tab({ copies: true }).live();
    await until(() => isWhole(tab, id, head), 'all is here', 15_000);
    await until(() => tab.screen.copyingView === null, 'it is through');
    tab.cable.cut();
    expect(await tab.commands.blob(shaOf(0))).toEqual({ ok: true, value: { text: long('old words ') } });
    expect(await tab.commands.blob(shaOf(400))).toEqual({ ok: true, value: { text: long('new words ') } });
    expect(await tab.mirror.blobsMissing([shaOf(401), shaOf(402)])).toEqual([shaOf(401), shaOf(402)]);
    expect(await tab.commands.blob(shaOf(402))).toMatchObject({ ok: false, reason: 'offline' });
  });
  test('that a reader asked for is kept for later, and goes with a sign-out', async () => {
    const id = await stand.session();
    const { claim, turnId } = await stand.turn(id);
    const [sealed] = await stand.store.seal(
      claim,
      [
        {
          kind: 'chunk',
          id: `${turnId}.0.t.0`,
          turnId,
          step: 0,
          role: 'tool',
          type: 'tool_result',
          data: { callId: 'c', content: [{ type: 'text', text: long('output ') }], isError: false },
        },
      ],
      clock.now(),
    );
    const { sha256 } = (sealed!.data as { blob: { sha256: string } }).blob;
    const tab = await device.tab().live();
    await tab.commands.open(id);
    const asked = await tab.commands.blob(sha256);
    expect(asked.ok).toBe(true);
    tab.cable.cut();
    expect(await tab.commands.blob(sha256)).toEqual(asked);
    await tab.commands.signOut();
    expect(await tab.mirror.blob(sha256)).toBeUndefined();
  });
});

describe('turns to jump to', () => {
  test('are the same here as there, however they came: live, in a snapshot, listed; steers and turns that go on too', async () => {
    const id = await stand.session();
    const seen: string[] = [];
    const settle = { rows: [], pause: null, unlessSteers: false };
    async function turn(words: string, reason: 'done' | 'failed' = 'done', prompts = 1): Promise<void> {
      for (let n = 0; n < prompts; n++) {
        const body = { content: [{ type: 'text', text: `${words} ${n}\n second   line ${'long '.repeat(60)}` }], delivery: 'steer' };
        await stand.call('PUT', `/sessions/${id}/inputs/${uuid()}`, body);
      }
      const turnId = uuid();
      const opened = await stand.store.openTurn(id, 'a test', turnId, clock.now(), () => []);
      await stand.seal(opened!.claim, turnId, 0, ['an answer']);
      await stand.call('PUT', `/sessions/${id}/inputs/${uuid()}`, { content: [{ type: 'text', text: 'a steer' }], delivery: 'steer' });
      await stand.store.promoteSteers(opened!.claim, turnId, 1, clock.now());
      await stand.store.settle(opened!.claim, turnId, { reason, ...settle }, clock.now());
      seen.push(words);
    }
    for (let n = 0; n < 3; n++) await turn(`before ${n}`);
    const tab = await device.tab().live();
    await tab.commands.open(id);
    await until(() => tab.screen.words().length > 0, 'it is open');
    await turn('together', 'done', 3);
    await turn('broke', 'failed');
    await stand.call('POST', `/sessions/${id}/resume`, {});
    const turnId = uuid();
    const went = await stand.store.openTurn(id, 'a test', turnId, clock.now(), () => []);
    await stand.seal(went!.claim, turnId, 0, ['goes on']);
    await stand.store.settle(went!.claim, turnId, { reason: 'done', ...settle }, clock.now());
    await turn('after');
    const { head } = await stand.store.timeline(id, 1);
    await until(async () => (await tab.mirror.projections(id)).cursor.seq === head, 'all of it is applied');

    const theirs = await stand.store.turns(id, null, 100);
    expect(theirs.length).toBe(7);
    const online = await tab.commands.turns(id, null);
    expect(online).toEqual({ ok: true, value: { turns: theirs, earlier: false, missing: false } });
    tab.cable.cut();
    await until(() => tab.screen.linkView?.kind === 'offline', 'the link is down');
    expect(await tab.commands.turns(id, null)).toEqual(online);
  });
  test('offline, with only the newest here: those, and that there are others', async () => {
    const { id } = await history(40, 20);
    const tab = await device.tab().live();
    await tab.commands.open(id);
    await until(() => tab.screen.words().length > 0, 'it is open');
    tab.cable.cut();
    await until(() => tab.screen.linkView?.kind === 'offline', 'the link is down');
    const here = await tab.commands.turns(id, null);
    const all = await stand.store.turns(id, null, 100);
    expect(here).toMatchObject({ ok: true, value: { earlier: true, missing: true } });
    const { turns } = (here as { value: { turns: unknown[] } }).value;
    expect(turns.length).toBeGreaterThan(3);
    expect(turns).toEqual(all.slice(-turns.length));
  });
  test('of a session that is not here at all, and of one that is only here', async () => {
    const { id } = await history(2, 5);
    const tab = device.tab();
    tab.cable.cut();
    await tab.start();
    expect(await tab.commands.turns(id, null)).toEqual({ ok: true, value: { turns: [], earlier: true, missing: true } });
    const own = await tab.commands.createSession({ workspace: stand.workspace });
    expect(await tab.commands.turns(own, null)).toEqual({ ok: true, value: { turns: [], earlier: false, missing: false } });
  });
});
