/**
 * The end of every history: all trouble ends, everybody comes back, and then everything must come to rest in bounded time, with
 * every device in step, every input where it should be, and no word gone.
 */
import { isEvent } from '#shared/protocol/records.ts';
import { isTombstone } from '#shared/protocol/summaries.ts';
import { lookAtTables, missingIn } from './laws/mirror.ts';
import { HOST, ORIGIN, TOKEN } from './server.ts';
import type { World } from './world.ts';

/** Simulated time within which everything is at rest, and every device has copied all. */
const REST_WITHIN = 10 * 60_000;
const LOOK_EVERY = 2_000;

export async function heal(world: World): Promise<void> {
  world.tell('all is healed');
  world.healed = true;
  world.calm();
  await world.startServer();
  for (const device of world.devices) {
    device.ahead = 0;
    world.network.turn(device, 'fine');
    device.disk.heal();
    for (const tab of device.tabs) {
      if (tab.frozen) tab.thaw();
      if (!tab.visible) tab.show();
    }
    if (device.tabs.length === 0) device.openTab();
  }
  await world.clock.pass(LOOK_EVERY);
  for (const tab of world.tabs()) tab.commands.retryLink();
  await rest(world, 'to rest', () => restless(world));
  if (world.isFaulty) return;
  await world.look();
  serverLaws(world);

  // Whoever reads on from memory does so until it is loaded again.
  for (const device of world.devices) {
    device.disk.heal();
    for (const tab of device.tabs) if (tab.mirrorLost || tab.ownLost) world.kill(tab);
    device.openTab();
  }
  await rest(world, 'in step', () => outOfStep(world));
  for (const device of world.devices) lookAtTables(device);
  await world.look();
  world.oracle.compare(world.server.db!);
}

async function rest(world: World, what: string, missing: () => Promise<string | null>): Promise<void> {
  const end = world.clock.now() + REST_WITHIN;
  let why = await missing();
  while (why !== null && !world.isFaulty) {
    if (world.clock.now() > end) return world.fault('law-13', `never ${what}: ${why}`);
    await world.clock.pass(LOOK_EVERY);
    await settleAsked(world);
    why = await missing();
  }
}

/** What waits for a person gets one: who is signed out signs in, whatever is asked is denied, whatever is paused goes on. */
async function settleAsked(world: World): Promise<void> {
  for (const tab of world.tabs()) if (tab.screen.linkView?.kind === 'signed-out') world.doing(tab, 'sign-in', world.signIn(tab, TOKEN));
  for (const [id, { entry }] of world.oracle.now.sessions) {
    if (isTombstone(entry)) continue;
    if (entry.status === 'waiting') {
      const { approvals } = await world.server.store!.timeline(id, 1);
      for (const approval of approvals)
        if (approval.state === 'open') ask(world, 'PUT', `/api/sessions/${id}/approvals/${approval.id}`, { decision: 'deny' });
    }
    if (entry.paused !== null && entry.status === 'paused') ask(world, 'POST', `/api/sessions/${id}/resume`, {});
  }
}
function ask(world: World, method: string, path: string, body: object): void {
  const headers = { host: HOST, origin: ORIGIN, authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  world.server.ask({ method, path, headers, body: JSON.stringify(body) }, (answer) => {
    if (answer.status >= 500) world.fault('law-13', `${method} ${path} answered ${answer.status} ${answer.text}`);
  });
}

/** Rows that go on by themselves. Held ones behind a refused one wait for the user, and say so. */
const MOVING = new Set(['held', 'sending', 'unknown', 'acked']);

async function restless(world: World): Promise<string | null> {
  for (const [id, { entry }] of world.oracle.now.sessions) {
    if (isTombstone(entry)) continue;
    if (entry.status !== 'idle') return `${id} is ${entry.status}`;
    const waiting = [...world.oracle.now.inputs.values()].find(
      (receipt) => receipt.sessionId === id && receipt.state === 'pending' && receipt.held !== true,
    );
    if (waiting !== undefined) return `${waiting.id} waits in ${id}, which is idle`;
  }
  for (const tab of world.tabs()) {
    const kind = tab.screen.linkView?.kind;
    if (kind !== 'live') return `${tab.name} is ${kind}`;
    const rows = tab.engine.rows();
    const stuck = rows.find((row, at) => {
      if (!MOVING.has(row.state)) return false;
      const before = rows.slice(0, at).some((earlier) => earlier.sessionId === row.sessionId && !MOVING.has(earlier.state));
      const held = world.oracle.now.inputs.get(row.id)?.held === true;
      return !before && !held;
    });
    if (stuck !== undefined)
      return `row ${stuck.id} (${stuck.command.kind}) of ${tab.name} is ${stuck.state}, after ${stuck.tries} tries; the server says ${JSON.stringify(world.oracle.now.inputs.get(stuck.id)) ?? 'nothing'}`;
  }
  return null;
}

async function outOfStep(world: World): Promise<string | null> {
  for (const tab of world.tabs()) if (tab.screen.linkView?.kind !== 'live') return `${tab.name} is ${tab.screen.linkView?.kind}`;
  for (const device of world.devices) {
    const missing = await missingIn(device);
    if (missing !== null) return missing;
  }
  return null;
}

/** Laws 1, 12 and 13, of a server that is at rest. */
function serverLaws(world: World): void {
  for (const [id, { records, entry }] of world.oracle.now.sessions) {
    if (isTombstone(entry)) continue;
    const begun = new Set<string>();
    for (const record of records) {
      if (isEvent(record, 'turn-started')) begun.add(record.data.turnId);
      if (isEvent(record, 'turn-settled') && !begun.delete(record.data.turnId))
        world.fault('law-13', `turn ${record.data.turnId} of ${id} was settled, and did not run`);
    }
    if (begun.size > 0) world.fault('law-13', `turns ${[...begun].join(' ')} of ${id} never ended`);
    const calls = new Map<string, number>();
    for (const record of records) {
      if (record.kind !== 'chunk' || (record.type !== 'tool_call' && record.type !== 'tool_result')) continue;
      const key = `${record.turnId}/${record.step}/${(record.data as { callId: string }).callId}`;
      calls.set(key, (calls.get(key) ?? 0) + (record.type === 'tool_call' ? 100 : 1));
    }
    for (const [key, count] of calls)
      if (count !== 101) world.fault('law-12', `call ${key} of ${id}: ${Math.floor(count / 100)} calls, ${count % 100} results`);
  }
}
