/** One socket's life: hello, frames, bounds. A bad frame ends that socket and no other. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { AgentEvent } from '#shared/protocol/agent-events.ts';
import { LIMITS } from '#shared/protocol/limits.ts';
import { type HttpStand, openStand, uuid } from '../support/http-stand.ts';
import { LiveClient } from '../support/live-client.ts';

let stand: HttpStand;
let clients: LiveClient[];
/** Callbacks that wait, by their milliseconds: time passes when a test says so. */
let waiting: { ms: number; callback: () => void }[];
beforeEach(async () => {
  clients = [];
  waiting = [];
  const timers = {
    after(ms: number, callback: () => void) {
      const entry = { ms, callback };
      waiting.push(entry);
      return () => void (waiting = waiting.filter((other) => other !== entry));
    },
  };
  stand = await openStand({ timers });
});
afterEach(async () => {
  for (const client of clients) client.close();
  await stand.close();
});
const pass = (ms: number): void => {
  const due = waiting.filter((entry) => entry.ms === ms);
  waiting = waiting.filter((entry) => entry.ms !== ms);
  for (const { callback } of due) callback();
};
const connect = (headers: Record<string, string> = stand.bearer): LiveClient => {
  const client = new LiveClient(`ws://127.0.0.1:${stand.port}/api/live`, headers);
  clients.push(client);
  return client;
};
const opened = async (client: LiveClient): Promise<LiveClient> => {
  await client.until(() => client.ws.readyState === WebSocket.OPEN);
  return client;
};
const HELLO = JSON.stringify({ type: 'hello', protocol: 1, device: null });
const frame = (sessionId: string, n: number, words = 'w') => {
  const events: AgentEvent[] = [{ turnId: 't', step: 0, type: 'text-delta', i: 0, text: words }];
  return { sessionId, turnId: 't', step: 0, attempt: 0, phase: 'message' as const, n, events };
};

describe('hello', () => {
  it('is answered with the protocol, the epoch and the newest version', async () => {
    await stand.session();
    const client = await connect().greet();
    const { epoch } = stand.store;
    const boot = { id: expect.any(String), at: expect.any(Number) };
    expect(client.frames).toEqual([
      { type: 'welcome', protocol: 1, epoch, version: await stand.store.version(), boot, now: expect.any(Number) },
    ]);
  });
  it('names the process: the same at every welcome of it, another one after a restart', async () => {
    const bootOf = (client: LiveClient) => client.of('welcome')[0]?.boot;
    const [first, second] = [await connect().greet(), await connect().greet()];
    expect(bootOf(first)).toEqual(bootOf(second));
    const other = await openStand();
    try {
      const elsewhere = new LiveClient(`ws://127.0.0.1:${other.port}/api/live`, other.bearer);
      clients.push(elsewhere);
      expect(bootOf(await elsewhere.greet())?.id).not.toBe(bootOf(first)?.id);
    } finally {
      await other.close();
    }
  });
  it('of a client that is too old closes with 4426', async () => {
    const client = await connect().greet(0);
    expect(client.closed).toBe(4426);
  });
  it('that never comes closes the socket after a while', async () => {
    const client = await opened(connect());
    pass(10_000);
    await client.until(() => client.closed !== null);
    expect(client.closed).toBe(4400);
  });
});

describe('a bad frame closes that socket with 4400 and nothing else', () => {
  it.each<[string, (string | Buffer)[]]>([
    ['not JSON', [HELLO, '{"type":']],
    ['not an object', [HELLO, '7']],
    ['an unknown type', [HELLO, '{"type":"run","command":"ls"}']],
    ['an unknown key', [HELLO, '{"type":"ping","extra":1}']],
    ['a session id that is none', [HELLO, JSON.stringify({ type: 'subscribe', sessionId: '../x', epoch: null, after: 0, lastId: null })]],
    ['a negative cursor', [HELLO, JSON.stringify({ type: 'subscribe', sessionId: uuid(), epoch: null, after: -1, lastId: null })]],
    ['binary', [HELLO, Buffer.from('{"type":"ping"}')]],
    ['anything before hello', ['{"type":"ping"}']],
    ['hello twice', [HELLO, HELLO]],
  ])('%s', async (_what, messages) => {
    const other = await connect().greet();
    const client = await opened(connect());
    for (const message of messages) client.ws.send(message);
    await client.until(() => client.closed !== null);
    expect(client.closed).toBe(4400);
    other.say({ type: 'ping' });
    await other.until(() => other.of('pong').length === 1);
    expect((await stand.call('GET', '/sessions')).status).toBe(200);
  });

  it('one over the frame limit closes with 1009', async () => {
    const client = await connect().greet();
    client.ws.send(JSON.stringify({ type: 'ping', pad: 'x'.repeat(LIMITS.frameBytes) }));
    await client.until(() => client.closed !== null);
    expect(client.closed).toBe(1009);
  });

  it('more subscriptions than are allowed', async () => {
    const client = await connect().greet();
    for (let at = 0; at < LIMITS.subscriptionsPerSocket; at++) client.subscribe(uuid());
    await client.until(() => client.of('caught-up').length === LIMITS.subscriptionsPerSocket);
    client.subscribe(uuid());
    await client.until(() => client.closed !== null);
    expect(client.closed).toBe(4400);
  });
});

describe('live', () => {
  it('records and receipts go to those who subscribed, the session’s summary to all', async () => {
    const session = await stand.session();
    const [looking, other] = [await connect().greet(), await connect().greet()];
    looking.subscribe(session);
    await looking.until(() => looking.of('live-snapshot').length === 1);
    const input = await stand.admit(session);
    await other.until(() => other.of('session').length === 1);
    await looking.until(() => looking.of('session').length === 1);
    expect(looking.of('records').flatMap(({ records }) => records.map(({ seq, type }) => [seq, type]))).toEqual([[1, 'admitted']]);
    expect(looking.of('input').map(({ receipt }) => [receipt.id, receipt.state])).toEqual([[input, 'pending']]);
    expect(looking.trail.slice(-3)).toEqual(['records', 'input', 'session']);
    expect(other.trail).toEqual(['welcome', 'session']);
    expect(other.of('session')[0]!.summary).toMatchObject({ id: session, head: 1 });
  });

  it('frames go to those who subscribed, until they unsubscribe', async () => {
    const session = await stand.session();
    const client = await connect().greet();
    client.subscribe(session);
    await client.until(() => client.of('live-snapshot').length === 1);
    stand.runner.stream(frame(session, 1));
    stand.runner.stream(frame(uuid(), 1));
    await client.until(() => client.of('live').length === 1);
    expect(client.of('live')[0]).toEqual({ type: 'live', ...frame(session, 1) });
    client.say({ type: 'unsubscribe', sessionId: session });
    client.say({ type: 'ping' });
    await client.until(() => client.of('pong').length === 1);
    stand.runner.stream(frame(session, 2));
    client.say({ type: 'ping' });
    await client.until(() => client.of('pong').length === 2);
    expect(client.of('live')).toHaveLength(1);
  });

  it('subscribing again starts over from the new cursor, once', async () => {
    const session = await stand.session();
    await stand.admit(session);
    const client = await connect().greet();
    client.subscribe(session);
    client.subscribe(session);
    await client.until(() => client.of('caught-up').length > 0);
    client.subscribe(session);
    await client.until(() => client.of('caught-up').length > 1);
    await stand.admit(session);
    await client.until(() => client.of('session').length === 1);
    expect(client.of('records').filter(({ records }) => records.some(({ seq }) => seq === 2))).toHaveLength(1);
  });

  it('a deleted session is told to all by its tombstone', async () => {
    const session = await stand.session();
    const client = await connect().greet();
    client.subscribe(session);
    await client.until(() => client.of('caught-up').length === 1);
    await stand.call('DELETE', `/sessions/${session}`);
    await client.until(() => client.of('session').some(({ summary }) => 'deleted' in summary));
    stand.runner.stream(frame(session, 1));
    client.say({ type: 'ping' });
    await client.until(() => client.of('pong').length === 1);
    expect(client.of('live')).toEqual([]);
  });

  it('a store that fails ends the socket, so that the client comes back, and is reported', async () => {
    const session = await stand.session();
    await stand.admit(session);
    const client = await connect().greet();
    stand.store.log = () => Promise.reject(new Error('the disk is gone'));
    client.subscribe(session);
    await client.until(() => client.closed !== null);
    expect(client.closed).toBe(1011);
    expect(stand.reports).toContain('feed-failed');
  });
});

describe('ends', () => {
  it('a revoked device loses its sockets with 4401, and no other', async () => {
    const [device, other] = [await stand.device(), await stand.device()];
    const mine = await connect({ cookie: device.cookie, origin: stand.origin }).greet();
    const theirs = await connect({ cookie: other.cookie, origin: stand.origin }).greet();
    const owner = await connect().greet();
    expect((await stand.call('DELETE', `/devices/${device.id}`)).status).toBe(200);
    await mine.until(() => mine.closed === 4401);
    for (const client of [theirs, owner]) {
      client.say({ type: 'ping' });
      await client.until(() => client.of('pong').length === 1);
    }
  });

  it('a peer that answers no ping is dropped at the second beat; one that does is kept', async () => {
    const alive = await connect().greet();
    const dead = await connect().greet();
    dead.ws.pause();
    pass(30_000);
    await new Promise((resolve) => alive.ws.once('ping', resolve));
    alive.say({ type: 'ping' });
    await alive.until(() => alive.of('pong').length === 1);
    pass(30_000);
    dead.ws.resume();
    await dead.until(() => dead.closed !== null);
    expect(alive.closed).toBeNull();
    alive.say({ type: 'ping' });
    await alive.until(() => alive.of('pong').length === 2);
  });

  it('when the server ends every socket is told to come back', async () => {
    const client = await connect().greet();
    stand.app.close();
    await client.until(() => client.closed !== null);
    expect(client.closed).toBe(1001);
  });
});

it('law 15: a subscription that was replaced or dropped waits for no replay, however many there were', async () => {
  const session = await stand.session();
  const client = await connect().greet();
  const asked = vi.spyOn(stand.store, 'session');
  let go!: () => void;
  const held = new Promise<null>((resolve) => (go = () => resolve(null)));
  asked.mockImplementationOnce(() => held);
  for (let n = 0; n < 500; n++) client.say({ type: 'subscribe', sessionId: session, epoch: null, after: 0, lastId: null });
  for (let n = 0; n < 500; n++) {
    const other = uuid();
    client.say({ type: 'subscribe', sessionId: other, epoch: null, after: 0, lastId: null });
    client.say({ type: 'unsubscribe', sessionId: other });
  }
  client.say({ type: 'ping' });
  await client.until(() => client.of('pong').length === 1);
  go();
  await client.until(() => client.of('caught-up').length === 1);
  expect(asked.mock.calls.length).toBeLessThan(10);
});
