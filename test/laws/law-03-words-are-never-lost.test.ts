/**
 * Law 3: words are never lost. The text is on the device's disk before the composer clears; a refused, expired or orphaned
 * input keeps its words, and they can be copied, edited or sent again.
 */
import { describe, expect, test } from 'vitest';
import { until, type Tab } from '../support/device/device.ts';
import { device, stand, useDevice, words } from '../support/device/use-device.ts';

useDevice();
async function opened(): Promise<{ tab: Tab; id: string }> {
  const tab = await device.tab().live();
  const id = await stand.session();
  await tab.commands.open(id);
  await until(() => tab.screen.view.loaded, 'the session is shown');
  return { tab, id };
}
const pendingWords = async (id: string) => (await stand.store.timeline(id, 1)).pendingInputs.map(({ content }) => content[0]);

describe('the composer may clear', () => {
  test('only when the row is on the disk and the draft is gone with it: a tab that dies right then loses nothing', async () => {
    const first = device.tab();
    first.cable.cut();
    await first.start();
    first.commands.saveDraft('s', 'half a thought');
    first.hide();
    await until(async () => (await first.own.draft('s')) === 'half a thought', 'the draft is on the disk');
    await first.commands.send('s', words('a whole thought'), 'steer');
    first.kill();

    const second = device.tab();
    second.cable.cut();
    await second.start();
    await second.commands.open('s');
    expect(second.stages()).toEqual(['a whole thought: held']);
    expect(await second.commands.draft('s')).toBe('');
  });
  test('B11: three prompts, the tab killed while the first is being sent: all three are there, and run once each in order', async () => {
    const { tab: first, id } = await opened();
    first.cable.fate = ({ method }) => (method === 'PUT' ? 'hang' : 'pass');
    for (const text of ['one', 'two', 'three']) await first.commands.send(id, words(text), 'queue');
    await until(() => first.stages()[0] === 'one: sending', 'the first is being sent');
    first.kill();

    const second = device.tab();
    second.cable.fate = ({ path }) => (path.includes('/sessions') ? 'hang' : 'pass');
    await second.start();
    await second.commands.open(id);
    await until(() => second.screen.view.receipts.length === 3, 'all three are shown');
    second.kill();

    const third = await device.tab().live();
    await third.commands.open(id);
    await until(async () => (await pendingWords(id)).length === 3, 'all three are accepted');
    expect(await pendingWords(id)).toEqual([...words('one'), ...words('two'), ...words('three')]);
    await until(() => third.stages().join() === 'one: queued,two: queued,three: queued', 'their stages are true');
  });
});

describe('what cannot be accepted keeps its words', () => {
  const final = [
    [400, 'bad-request'],
    [404, 'not-found'],
    [409, 'conflict'],
    [410, 'gone'],
    [413, 'too-large'],
    [422, 'too-many-pending'],
  ] as const;
  test.each(final)('I31: %d %s in the envelope → one call, refused with its reason, still editable', async (status, code) => {
    const { tab, id } = await opened();
    tab.cable.fate = ({ method }) => (method === 'PUT' ? tab.cable.envelope(status, code, false) : 'pass');
    const inputId = await tab.commands.send(id, words('precious'), 'queue');
    await tab.commands.send(id, words('behind it'), 'queue');
    await until(() => tab.stages()[0] === 'precious: refused', 'it is refused');
    expect(tab.screen.view.receipts[0]).toMatchObject({ reason: `scripted ${code}`, content: words('precious') });
    expect(tab.cable.calls.filter(({ method }) => method === 'PUT')).toHaveLength(1);
    expect(tab.stages()[1]).toBe('behind it: held');

    tab.cable.fate = () => 'pass';
    await tab.commands.editInput(id, inputId, words('precious, corrected'));
    await until(() => tab.stages().join() === 'precious, corrected: queued,behind it: queued', 'both are accepted, in order');
  });

  test('a prompt of three days ago asks before it is sent, with its words', async () => {
    const { tab, id } = await opened();
    tab.cable.cut();
    const inputId = await tab.commands.send(id, words('old news'), 'queue');
    tab.kill();
    // Three days later on both sides, as after a closed laptop: the server's clock agrees.
    device.ahead = 3 * 24 * 60 * 60 * 1000;
    const later = device.tab();
    const agreeing = new Date(device.clock.now()).toUTCString();
    const passOn = later.cable.fetch;
    Object.assign(later.cable, {
      fetch: async (...call: Parameters<typeof passOn>) => {
        const answer = await passOn(...call);
        return {
          ...answer,
          text: () => answer.text(),
          headers: { get: (name: string) => (name === 'date' ? agreeing : answer.headers.get(name)) },
        };
      },
    });
    const tabLater = later;
    await tabLater.start();
    await tabLater.commands.open(id);
    await until(() => tabLater.stages().join() === 'old news: expired', 'it asks');
    expect(await pendingWords(id)).toEqual([]);
    await tabLater.commands.resendInput(id, inputId);
    await until(async () => (await pendingWords(id)).length === 1, 'it is sent when the user said so');
  });

  test('B7: a prompt queued offline for a session that was deleted elsewhere says so, and never brings the session back', async () => {
    const { tab, id } = await opened();
    tab.cable.cut();
    await tab.commands.send(id, words('too late'), 'queue');
    await stand.call('DELETE', `/sessions/${id}`);
    tab.cable.mend();
    tab.wake();
    await until(() => tab.stages().join() === 'too late: orphaned', 'it is orphaned');
    expect(tab.screen.view.receipts[0]?.reason).toMatch(/deleted/);
    expect((await stand.store.session(id)) ?? {}).toMatchObject({ deleted: true });
    expect(tab.screen.rows.get(id)).toMatchObject({ heldInputs: 1 });
  });

  test('an edit that came too late keeps its words as something to send', async () => {
    const { tab, id } = await opened();
    const inputId = await tab.commands.send(id, words('first'), 'queue');
    await until(() => tab.stages().join() === 'first: queued', 'it is queued');
    tab.cable.cut();
    await tab.commands.editInput(id, inputId, words('second thoughts'));
    await stand.call('DELETE', `/sessions/${id}/inputs/${inputId}`);
    tab.cable.mend();
    tab.wake();
    await until(() => tab.stages().includes('second thoughts: refused'), 'the edit is refused, words kept');
    const refused = tab.screen.view.receipts.find(({ stage }) => stage === 'refused')!;
    await tab.commands.resendInput(id, refused.id);
    await until(async () => (await pendingWords(id)).length === 1, 'they are sent as a prompt of their own');
    expect(await pendingWords(id)).toEqual(words('second thoughts'));
  });
});
