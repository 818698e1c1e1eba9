/** The copying of the whole history to this device, on the real engine against a real server. */
import { describe, expect, test } from 'vitest';
import { LIMITS } from '#shared/protocol/limits.ts';
import { pause, until, type Tab } from '../support/device/device.ts';
import { DrivenTurn } from '../support/device/turns.ts';
import { clock, uuid } from '../support/http-stand.ts';
import { device, stand, useDevice } from '../support/device/use-device.ts';

useDevice();

/** A session of `turns` turns with `chunks` texts each. */
async function history(turns: number, chunks: number, words = (n: number) => `word ${n}`): Promise<{ id: string; head: number }> {
  const id = await stand.session();
  for (let turn = 0; turn < turns; turn++) {
    const { claim, turnId } = await stand.turn(id);
    const texts = Array.from({ length: chunks }, (_, at) => words(turn * chunks + at));
    await stand.seal(claim, turnId, 0, texts);
    await stand.store.settle(claim, turnId, { reason: 'done', rows: [], pause: null, unlessSteers: false }, clock.now());
  }
  return { id, head: (await stand.store.timeline(id, 1)).head };
}
const isWhole = async (tab: Tab, id: string, head: number): Promise<boolean> => {
  const { cursor, runs } = await tab.mirror.coverage(id);
  return cursor === head && runs.length === 1 && runs[0]!.from === 1 && runs[0]!.to === head;
};
const logAsks = (tab: Tab): string[] => tab.cable.calls.map(({ path }) => path).filter((path) => path.includes('/log?'));
const marksAsks = (tab: Tab): string[] => tab.cable.calls.map(({ path }) => path).filter((path) => path.includes('/turns?'));

describe('the whole history comes down', () => {
  test('of every session, marks too, and then nothing more is asked for', async () => {
    const long = await history(30, 60);
    const short = await history(2, 3);
    const tab = await device.tab({ copies: true }).live();
    await until(async () => (await isWhole(tab, long.id, long.head)) && (await isWhole(tab, short.id, short.head)), 'all is here', 15_000);
    await until(() => tab.screen.copyingView === null, 'and nothing is said of it any more');
    const asked = tab.cable.calls.length;
    await pause(100);
    expect(tab.cable.calls.length).toBe(asked);
    expect(tab.reports).toEqual([]);

    tab.cable.cut();
    const { turns, earlier, missing } = await tab.mirror.turns(long.id, null, 100);
    expect(turns).toEqual(await stand.store.turns(long.id, null, 100));
    expect({ earlier, missing }).toEqual({ earlier: false, missing: false });
    const log = await stand.logOf(long.id);
    const here = await tab.mirror.readAfter(long.id, 0, 10_000);
    expect(here.records).toEqual(log.slice(0, here.records.length));
    expect(here.records.length).toBeGreaterThan(1000);
  });

  test('newest first, the open session before the others, the archived ones last', async () => {
    const archived = await history(2, 300);
    await stand.call('PATCH', `/sessions/${archived.id}`, { archived: true });
    const open = await history(2, 300);
    const latest = await history(2, 300);
    const tab = device.tab({ copies: true });
    await tab.start();
    await tab.commands.open(open.id);
    const all = [archived, open, latest];
    await until(async () => (await Promise.all(all.map(({ id, head }) => isWhole(tab, id, head)))).every(Boolean), 'all is here', 15_000);
    const order = logAsks(tab).map((path) => all.findIndex(({ id }) => path.includes(id)));
    expect([...new Set(order)]).toEqual([1, 2, 0]);
    for (const { id } of all) {
      const afters = logAsks(tab)
        .filter((path) => path.includes(id))
        .map((path) => Number(/after=(\d+)/.exec(path)?.[1]));
      expect(afters).toEqual(afters.toSorted((a, b) => b - a));
    }
  });

  test('one request at a time, each of whole pages, none twice', async () => {
    const { id, head } = await history(10, 150);
    let open = 0;
    let most = 0;
    const tab = device.tab({ copies: true });
    tab.cable.fate = ({ path }) => {
      if (path.includes(id)) most = Math.max(most, (open += 1));
      return 'pass';
    };
    tab.cable.hold = async ({ path }) => {
      if (!path.includes(id)) return;
      await pause(5);
      open -= 1;
    };
    await tab.live();
    await until(() => isWhole(tab, id, head), 'all is here', 15_000);
    const spans = logAsks(tab).map((path) => {
      const after = Number(/after=(\d+)/.exec(path)?.[1]);
      return [after + 1, after + Number(/limit=(\d+)/.exec(path)?.[1])] as const;
    });
    expect(most).toBe(1);
    expect(spans.every(([from]) => from % 100 === 1)).toBe(true);
    expect(spans.every(([from], at) => at === 0 || spans[at - 1]![0] > from)).toBe(true);
  });

  test('records too large for a page an answer are put together before they are kept', async () => {
    const { id, head } = await history(1, 350, (n) => `${n} ${'x'.repeat(9_000)}`);
    const tab = await device.tab({ copies: true }).live();
    await until(() => isWhole(tab, id, head), 'all is here', 15_000);
    expect(logAsks(tab).length).toBeLessThan(3 * Math.ceil((350 * 9_000) / LIMITS.logPageBytes));
    expect(tab.reports).toEqual([]);
  });

  test('what happens meanwhile is here too', async () => {
    const { id } = await history(10, 100);
    const tab = await device.tab({ copies: true }).live();
    await tab.commands.open(id);
    const turn = await DrivenTurn.prompted(stand, id, uuid());
    for (let step = 0; step < 12; step++) {
      await turn.begin();
      turn.say(0, `live ${step}`, true);
      await turn.seal();
    }
    await turn.settle();
    const { head } = await stand.store.timeline(id, 1);
    await until(() => isWhole(tab, id, head), 'all is here', 15_000);
    expect((await tab.mirror.turns(id, null, 100)).turns).toEqual(await stand.store.turns(id, null, 100));
  });
});

describe('R10: resumable', () => {
  test('killed at any answer, it goes on from what is here: no record is asked for twice', async () => {
    const { id, head } = await history(12, 150);
    const asked: number[] = [];
    let tabs = 0;
    for (let whole = false; !whole; tabs++) {
      expect(tabs).toBeLessThan(40);
      const tab = device.tab({ copies: true });
      let left = 2;
      tab.cable.fate = ({ path }) => {
        if (!path.includes(`${id}/log?`)) return 'pass';
        return left-- > 0 ? 'pass' : 'hang';
      };
      await tab.live();
      await until(async () => left < 0 || (await isWhole(tab, id, head)), 'two answers came', 10_000);
      whole = await isWhole(tab, id, head);
      tab.kill();
      asked.push(
        ...logAsks(tab)
          .slice(0, 2)
          .map((path) => Number(/after=(\d+)/.exec(path)?.[1])),
      );
    }
    expect(new Set(asked).size).toBe(asked.length);
  });

  test('two tabs of a device: one copies, and the other goes on when it is gone', async () => {
    const { id, head } = await history(12, 150);
    const first = device.tab({ copies: true });
    first.cable.fate = ({ path }) => (path.includes('after=1000') || path.includes('after=800') ? 'hang' : 'pass');
    await first.live();
    await until(() => logAsks(first).length > 1, 'the first copies');
    const second = await device.tab({ copies: true }).live();
    await pause(200);
    expect(logAsks(second)).toEqual([]);
    first.kill();
    await until(() => isWhole(second, id, head), 'the second goes on', 15_000);
  });

  test('two tabs without locks share the work and end at the same', async () => {
    const { id, head } = await history(12, 150);
    const tabs = await Promise.all([1, 2].map(() => device.tab({ copies: true, locks: 'none' }).live()));
    await until(() => isWhole(tabs[0]!, id, head), 'all is here', 15_000);
    await until(() => tabs.every((tab) => tab.screen.copyingView === null), 'both are through', 15_000);
    expect(tabs.flatMap((tab) => tab.reports)).toEqual([]);
  });
});

describe('it gives way', () => {
  test('held by the user at once, also over a restart, and goes on at their word', async () => {
    const { id, head } = await history(12, 150);
    const tab = device.tab({ copies: true });
    tab.cable.fate = ({ path }) => (path.includes('/log?') ? 'hang' : 'pass');
    await tab.live();
    await until(() => logAsks(tab).length === 1, 'it copies');
    await tab.commands.pauseCopying(true);
    expect(tab.screen.copyingView).toMatchObject({ sessionId: id, of: head, state: 'paused' });
    await pause(50);
    expect(logAsks(tab).length).toBe(1);
    tab.kill();

    const later = await device.tab({ copies: true }).live();
    await until(() => later.screen.copyingView?.state === 'paused', 'it is still held');
    expect(logAsks(later)).toEqual([]);
    await later.commands.pauseCopying(false);
    await until(() => isWhole(later, id, head), 'it goes on', 15_000);
  });

  test('to whatever else is asked for: nothing is fetched beside it', async () => {
    const { id } = await history(12, 150);
    const tab = device.tab({ copies: true });
    tab.cable.fate = ({ path }) => (path.endsWith('/models') ? 'hang' : 'pass');
    void tab.commands.models();
    await tab.start();
    await until(() => tab.screen.linkView?.kind === 'live', 'the link is live');
    await pause(150);
    expect(tab.cable.calls.filter(({ path }) => path.includes(id))).toEqual([]);
  });

  test('nothing is copied into memory, and nothing is said of it', async () => {
    const { id } = await history(6, 100);
    const tab = await device.tab({ copies: true, disk: 'memory' }).live();
    await tab.commands.open(id);
    await pause(150);
    expect(logAsks(tab)).toEqual([]);
    expect(marksAsks(tab)).toEqual([]);
    expect(tab.screen.copyingView).toBeNull();
  });

  test('after trouble it tries again, later each time, and stops with the link', async () => {
    const { id, head } = await history(6, 100);
    let failures = 3;
    const tab = device.tab({ copies: true });
    tab.cable.fate = ({ path }) => (path.includes('/log?') && failures-- > 0 ? 'no-answer' : 'pass');
    await tab.live();
    await until(() => isWhole(tab, id, head), 'it came through', 15_000);
    expect(tab.reports).toEqual([]);
  });

  test('how it stands is told four times a second at most', async () => {
    await history(30, 100);
    const tab = device.tab({ copies: true });
    const told: number[] = [];
    const tell = tab.screen.copying.bind(tab.screen);
    tab.screen.copying = (view) => {
      if (view?.state === 'running') told.push(clock.now());
      tell(view);
    };
    await tab.live();
    await until(() => told.length > 0 && tab.screen.copyingView === null, 'it is through', 15_000);
    // Waits of a tab take a tenth of their time; the clock does not.
    expect(told.slice(1).filter((at, n) => at - told[n]! < 25)).toEqual([]);
  });
});
