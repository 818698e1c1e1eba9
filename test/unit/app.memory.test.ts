/** B31: what was opened and closed leaves nothing behind, however many sessions it was. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { RECENT } from '../../app/sync/replicas.ts';
import { uuid } from '../support/http-stand.ts';
import { pause, until } from '../support/device/device.ts';
import { DrivenTurn } from '../support/device/turns.ts';
import { device, stand, useDevice } from '../support/device/use-device.ts';

useDevice();
setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

test('B31: of 20 sessions that were opened, scrolled, jumped in and closed, no transcript and no window stays; replicas only of the recent', async () => {
  const tab = await device.tab({ chunkLimit: 32 }).live();
  const refs: WeakRef<object>[] = [];
  const replicas: WeakRef<object>[] = [];
  const ids: string[] = [];
  const visit = async (): Promise<void> => {
    const id = await stand.session();
    ids.push(id);
    const turn = await DrivenTurn.prompted(stand, id, uuid());
    await turn.begin();
    for (let i = 0; i < 60; i++) turn.say(i, `words ${i}`, true);
    await turn.seal();
    await turn.begin();
    turn.say(0, 'still open');
    await tab.commands.open(id);
    await until(() => tab.screen.words().at(-1) === 'still open', 'it is shown');
    tab.commands.atTail(false);
    await tab.commands.loadOlder();
    await tab.commands.showAt(5);
    // Left in the midst of a request that hangs.
    tab.cable.fate = ({ path }) => (path.includes('/log?') ? 'hang' : 'pass');
    void tab.commands.loadNewer();
    refs.push(new WeakRef(tab.engine.transcript()!), new WeakRef(tab.screen.view.chunks), new WeakRef(tab.screen.view.chunks[0]!));
    replicas.push(new WeakRef(tab.engine.replica(id)!));
    await tab.commands.open(null);
    tab.cable.fate = () => 'pass';
  };
  for (let n = 0; n < 20; n++) await visit();
  // Timers that note what was read are short; whatever is under way ends.
  await pause(200);
  const left = (all: readonly WeakRef<object>[]): number => all.filter((ref) => ref.deref() !== undefined).length;
  await until(
    () => {
      gc();
      return left(refs) === 0 && left(replicas) <= RECENT;
    },
    'nothing is left of them',
    10_000,
  );
  expect(ids.filter((id) => tab.engine.replica(id) !== null)).toEqual(ids.slice(-RECENT));
});
