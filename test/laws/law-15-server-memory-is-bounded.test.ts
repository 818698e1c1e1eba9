/** Law 15: memory is bounded on the server. A client that does not read is cut, alone, and catches up by its cursor. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentEvent } from '#shared/protocol/agent-events.ts';
import { LIMITS } from '#shared/protocol/limits.ts';
import { type HttpStand, openStand } from '../support/http-stand.ts';
import { LiveClient } from '../support/live-client.ts';

let stand: HttpStand;
const clients: LiveClient[] = [];
beforeEach(async () => {
  stand = await openStand();
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await stand.close();
});
const connect = async (): Promise<LiveClient> => {
  const client = await new LiveClient(`ws://127.0.0.1:${stand.port}/api/live`, stand.bearer).greet();
  clients.push(client);
  return client;
};
const MB = 1024 * 1024;

describe('law 15: memory is bounded on the server', () => {
  it('I28: one slow subscriber is cut alone; the others and the memory do not notice', async () => {
    const session = await stand.session();
    const [slow, quick] = [await connect(), await connect()];
    for (const client of [slow, quick]) client.subscribe(session);
    for (const client of [slow, quick]) await client.until(() => client.of('live-snapshot').length === 1);
    slow.ws.pause();

    const events: AgentEvent[] = [{ turnId: 't', step: 0, type: 'text-delta', i: 0, text: 'x'.repeat(MB) }];
    let got = 0;
    quick.onframe = (frame) => {
      if (frame.type === 'live') got++;
      // Not kept: what grows below must be the server's.
      quick.frames.length = 0;
    };
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const FRAMES = 80;
    for (let n = 1; n <= FRAMES; n++) {
      stand.runner.stream({ sessionId: session, turnId: 't', step: 0, attempt: 0, phase: 'message', n, events });
      await quick.until(() => got === n);
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }
    expect(quick.closed).toBeNull();
    // 80 MB were streamed. What may be held: the buffer of one client, a frame on its way at each end, and garbage not collected yet.
    expect(most).toBeLessThan(60 * MB);
    slow.ws.resume();
    await slow.until(() => slow.closed !== null);
    expect([4408, 1006]).toContain(slow.closed);
    expect(slow.of('live').length * MB).toBeLessThan(LIMITS.socketBufferBytes + 16 * MB);
  });

  it('a slow client’s replay waits for it: it holds one page, not the log', async () => {
    const session = await stand.session();
    const { claim, turnId } = await stand.turn(session);
    for (let step = 0; step < 40; step++)
      await stand.seal(
        claim,
        turnId,
        step,
        Array.from({ length: 10 }, () => 'y'.repeat(50_000)),
      );
    const slow = await connect();
    let reads = 0;
    const log = stand.store.log.bind(stand.store);
    stand.store.log = (...asked) => {
      reads++;
      return log(...asked);
    };
    slow.ws.pause();
    slow.subscribe(session);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const held = reads;
    // The system's own socket buffers take some megabytes of the twenty; the rest was not even read from the disk.
    expect(held).toBeLessThan(60);
    slow.ws.resume();
    await slow.until(() => slow.of('caught-up').length === 1);
    expect(reads).toBeGreaterThan(held);
    expect(slow.of('records').flatMap(({ records }) => records)).toEqual(await stand.logOf(session));
  });

  it('cut for being slow, it catches up by its cursor', async () => {
    const session = await stand.session();
    const { claim, turnId } = await stand.turn(session);
    const slow = await connect();
    slow.subscribe(session);
    await slow.until(() => slow.of('caught-up').length === 1);
    slow.ws.pause();
    for (let step = 0; step < 30; step++)
      await stand.seal(
        claim,
        turnId,
        step,
        Array.from({ length: 12 }, () => 'z'.repeat(60_000)),
      );
    slow.ws.resume();
    await slow.until(() => slow.closed !== null);
    const have = slow.of('records').flatMap(({ records }) => records);
    const log = await stand.logOf(session);
    expect(have.length).toBeLessThan(log.length);
    const again = await connect();
    again.subscribe(session, { after: have.length, lastId: have.at(-1)!.id, epoch: stand.store.epoch });
    await again.until(() => again.of('caught-up').length === 1);
    expect([...have, ...again.of('records').flatMap(({ records }) => records)]).toEqual(log);
  });
});
