/** The machine stays awake while a turn runs: one effect for any number of turns, and never a reason for one to fail. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { createAwake, type StayAwake } from '../../server/runner/awake.ts';
import { openBench } from '../support/runner/scripted.ts';

/** A keeper with a system of the test's own: `on` says whether it is kept awake, `pass` lets the time after the last turn go by. */
function keeper(stay?: StayAwake) {
  const due = new Set<() => void>();
  const at = { starts: 0, on: false, reports: [] as string[], ended: (): void => {} };
  const awake = createAwake({
    stay:
      stay ??
      ((ended) => {
        at.starts += 1;
        at.on = true;
        at.ended = ended;
        return () => (at.on = false);
      }),
    timers: {
      after(ms, callback) {
        expect(ms).toBe(5000);
        due.add(callback);
        return () => void due.delete(callback);
      },
    },
    report: (event) => void at.reports.push(event),
  });
  const pass = (): void => {
    for (const callback of due) callback();
    due.clear();
  };
  return { at, awake, pass, waiting: () => due.size };
}

describe('what keeps it awake', () => {
  test('begins with the first turn, is one for all, and ends a little after the last', () => {
    const { at, awake, pass } = keeper();
    const [one, two] = [awake.hold(), awake.hold()];
    one();
    pass();
    expect(at.on).toBe(true);
    two();
    expect(at.on).toBe(true);
    pass();
    expect([at.on, at.starts]).toEqual([false, 1]);
    awake.hold();
    expect([at.on, at.starts]).toEqual([true, 2]);
  });

  test('the next turn finds it still on, and what was let go twice counts once', () => {
    const { at, awake, pass, waiting } = keeper();
    const [one, two] = [awake.hold(), awake.hold()];
    one();
    one();
    expect(waiting()).toBe(0);
    two();
    const three = awake.hold();
    expect(waiting()).toBe(0);
    pass();
    expect([at.on, at.starts]).toEqual([true, 1]);
    three();
    awake.close();
    expect([at.on, waiting()]).toEqual([false, 0]);
  });

  test('where it does not work it is told once, not tried at each turn, and harms none', () => {
    let tries = 0;
    const broken = keeper(() => {
      tries += 1;
      throw new Error('not here');
    });
    for (let n = 0; n < 3; n++) broken.awake.hold()();
    expect([tries, broken.at.reports]).toEqual([1, ['awake.not-offered']]);

    const refused = keeper();
    const release = refused.awake.hold();
    refused.at.ended();
    release();
    refused.pass();
    refused.awake.hold();
    expect([refused.at.starts, refused.at.reports]).toEqual([1, ['awake.not-offered']]);
  });
});

describe('in the runner', () => {
  async function running() {
    const bench = await openBench();
    onTestFinished(() => bench.close());
    const holds: number[] = [];
    let held = 0;
    const awake = {
      hold: () => {
        holds.push((held += 1));
        return () => (held -= 1);
      },
      close: () => undefined,
    };
    await bench.runner.close();
    bench.awake = awake;
    await bench.restart();
    return { bench, holds, held: () => held };
  }

  test('it is held from a turn’s first step to its end, also of one that fails', async () => {
    const { bench, holds, held } = await running();
    const during: number[] = [];
    bench.script = (to, n) => {
      during.push(held());
      if (n === 1) throw new TypeError('a bug');
      return (to.text('fin'), to.end());
    };
    for (const words of ['a', 'b']) {
      await bench.send(await bench.session(), words);
      await bench.runner.idle();
    }
    expect([during, holds, held()]).toEqual([[1, 1], [1, 1], 0]);
  });

  test('the setting says no: it is not held', async () => {
    const { bench, holds } = await running();
    await bench.store.changeSettings({ keepAwake: false }, { id: null, now: 0 });
    await bench.send(await bench.session(), 'a');
    await bench.runner.idle();
    expect(holds).toEqual([]);
  });
});
