/** Commands beside prompts: each durable here first, each once at the server, each shown for what it is. */
import { describe, expect, test } from 'vitest';
import { clock, uuid } from '../support/http-stand.ts';
import { until } from '../support/device/device.ts';
import { DrivenTurn } from '../support/device/turns.ts';
import { device, offline, online, opened, stand, useDevice, words } from '../support/device/use-device.ts';

useDevice();

describe('a session', () => {
  test('is renamed twice offline: shown at once as held, and last words win', async () => {
    const { tab, id } = await opened();
    await offline(tab);
    await tab.commands.patchSession(id, { title: 'one' });
    await tab.commands.patchSession(id, { title: 'two', pinned: true });
    expect(tab.screen.rows.get(id)).toMatchObject({ changeHeld: true, summary: { title: 'two', pinned: true } });
    online(tab);
    await until(() => tab.screen.rows.get(id)?.changeHeld === false, 'both are with the server');
    expect(await stand.store.session(id)).toMatchObject({ title: 'two', pinned: true });
    expect(tab.screen.rows.get(id)?.summary).toMatchObject({ title: 'two', pinned: true });
  });
  test('is deleted: gone from the list at once, and everywhere when the server has it', async () => {
    const { tab, id } = await opened();
    await offline(tab);
    await tab.commands.deleteSession(id);
    expect(tab.screen.rows.has(id)).toBe(false);
    online(tab);
    await until(async () => (await tab.own.rows()).length === 0, 'it is with the server');
    expect(await stand.store.session(id)).toMatchObject({ deleted: true });
    expect(await tab.mirror.sessions()).toEqual([]);
  });
  test('made and deleted offline never reaches the server', async () => {
    const { tab } = await opened();
    await offline(tab);
    const id = await tab.commands.createSession({ workspace: stand.workspace });
    await tab.commands.send(id, words('never mind'), 'queue');
    await tab.commands.deleteSession(id);
    online(tab);
    await until(() => tab.screen.linkView?.kind === 'live', 'live');
    expect([await tab.own.rows(), await stand.store.session(id)]).toEqual([[], null]);
  });
  test('that the server refuses to make says why, and its prompts keep their words', async () => {
    const { tab } = await opened();
    const id = await tab.commands.createSession({ workspace: '/outside' });
    await tab.commands.open(id);
    await tab.commands.send(id, words('for nothing'), 'queue');
    await until(() => tab.stages().join() === 'for nothing: refused', 'it is refused');
    expect(tab.screen.view.receipts[0]?.reason).toMatch(/outside/);
    expect(tab.screen.notices.map(({ strong }) => strong)).toContain('The session was not made.');
  });
  test('deleted elsewhere while it is open: its words leave the screen and the mirror', async () => {
    const { tab, id } = await opened();
    await DrivenTurn.prompted(stand, id, 'turn-1');
    await until(() => tab.screen.words().length === 1, 'it is shown');
    await stand.call('DELETE', `/sessions/${id}`);
    await until(() => tab.screen.view.chunks.length === 0 && !tab.screen.rows.has(id), 'it is gone');
    expect((await tab.mirror.readAfter(id, 0, 10)).records).toEqual([]);
  });
});

describe('an input', () => {
  test('that waits here is edited, turned and moved where it stands, with no request', async () => {
    const { tab, id } = await opened();
    await offline(tab);
    const a = await tab.commands.send(id, words('a'), 'queue');
    const b = await tab.commands.send(id, words('b'), 'queue');
    await tab.commands.editInput(id, a, words('a, better'));
    await tab.commands.moveInput(id, b, null);
    await tab.commands.convertInput(id, a, 'steer');
    expect(tab.screen.view.receipts.map(({ id: input, content, delivery }) => [input, content, delivery])).toEqual([
      [b, words('b'), 'queue'],
      [a, words('a, better'), 'steer'],
    ]);
    expect((await tab.own.rows()).every(({ command }) => command.kind === 'input')).toBe(true);
    await tab.commands.cancelInput(id, b);
    expect(tab.stages()).toEqual(['b: cancelled', 'a, better: held']);
    await until(() => tab.stages().join() === 'a, better: held', 'its time to be undone is over');
  });
  test('that is queued is edited, moved and turned at the server; while it waits here that is said', async () => {
    const { tab, id } = await opened();
    const a = await tab.commands.send(id, words('a'), 'queue');
    const b = await tab.commands.send(id, words('b'), 'queue');
    const places = (): string => tab.screen.view.receipts.map(({ stage, place }) => `${stage} ${place}`).join();
    await until(() => places() === 'queued 1,queued 2', 'both are queued');
    await offline(tab);
    await tab.commands.editInput(id, a, words('a, better'));
    await tab.commands.moveInput(id, b, null);
    expect(tab.screen.view.receipts.map(({ content, changeHeld }) => [content, changeHeld])).toEqual([
      [words('a'), true],
      [words('b'), true],
    ]);
    online(tab);
    await until(() => tab.stages().join() === 'b: queued,a, better: queued', 'the server agrees');
    await until(() => !tab.screen.view.receipts.some(({ changeHeld }) => changeHeld), 'nothing of it waits here');
    await tab.commands.convertInput(id, a, 'steer');
    await until(() => tab.stages()[0] === 'a, better: steer', 'it steers');
  });
  test('that is thrown away leaves nothing', async () => {
    const { tab, id } = await opened();
    await offline(tab);
    const a = await tab.commands.send(id, words('a'), 'queue');
    await tab.commands.discardInput(id, a);
    expect([tab.stages(), await tab.own.rows()]).toEqual([[], []]);
  });
});

test('a prompt written offline after a restart says what its author had seen, and what it was written for', async () => {
  const { tab, id } = await opened();
  const turn = await DrivenTurn.prompted(stand, id, 'turn-1');
  await turn.begin();
  turn.say(0, 'seen', true);
  await turn.seal();
  const head = (await stand.logOf(id)).length;
  await until(async () => (await tab.mirror.projections(id)).cursor.seq === head, 'all of it is mirrored');
  tab.kill();
  const later = device.tab();
  later.cable.cut();
  await later.start();
  await later.commands.open(id);
  await later.commands.send(id, words('on what I saw'), 'steer');
  expect((await later.own.rows())[0]?.command).toMatchObject({ seenSeq: head, aimedTurnId: 'turn-1' });
});

describe('a running turn', () => {
  test('is stopped by its own id, also when the word was held here; a later turn is not', async () => {
    const { tab, id } = await opened();
    await DrivenTurn.prompted(stand, id, 'turn-1');
    await until(() => tab.screen.view.turnId === 'turn-1', 'it runs');
    await tab.commands.stop(id);
    await until(() => stand.runner.told.includes(`abort ${id} turn-1`), 'it is stopped');
    await until(() => tab.screen.rows.get(id)?.summary.paused?.reason === 'stopped', 'it is paused');
    await tab.commands.resume(id);
    await until(() => tab.screen.rows.get(id)?.summary.paused === null, 'it goes on');
    expect(await tab.own.rows()).toEqual([]);
  });
  test('asks: the card is there, one decision goes once, and the card goes with it; a late one is told', async () => {
    const { tab, id } = await opened();
    await stand.call('PUT', `/sessions/${id}/inputs/${uuid()}`, { content: words('go'), delivery: 'steer' });
    const turn = await stand.store.openTurn(id, 'a test', 'turn-1', clock.now(), () => []);
    const ask = (approvalId: string) => ({
      id: approvalId,
      turnId: 'turn-1',
      step: 0,
      callId: `call-${approvalId}`,
      name: 'run',
      effect: 'run' as const,
      summary: 'ls',
    });
    const [first, second] = [uuid(), uuid()];
    await stand.store.askApproval(turn!.claim, ask(first), clock.now());
    await stand.store.askApproval(turn!.claim, ask(second), clock.now());
    await until(() => tab.screen.view.approvals.length === 2, 'both cards are there');
    await tab.commands.decide(id, first, 'allow', false);
    await until(() => tab.screen.view.approvals.map((approval) => approval.id).join() === second, 'the first is decided');
    expect((await stand.store.approval(first))?.state).toBe('allow');

    await offline(tab);
    await tab.commands.decide(id, second, 'allow', false);
    await stand.call('PUT', `/sessions/${id}/approvals/${second}`, { decision: 'deny' });
    online(tab);
    await until(() => tab.screen.view.approvals.length === 0, 'the second card goes');
    await until(() => tab.screen.notices.some(({ strong }) => strong === 'Too late to decide.'), 'it is told');
    expect((await stand.store.approval(second))?.state).toBe('deny');
  });
});
