/**
 * Law 8, the server's half: whatever is cut and wherever, what a client has applied in the end equals the log, each record
 * once. Real sockets, cut after a random number of frames while records are being committed; the client keeps nothing but
 * its cursor, as a device does.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LogRecord } from '#shared/protocol/records.ts';
import { LiveClient } from '../support/live-client.ts';
import { type HttpStand, openStand } from '../support/http-stand.ts';

let stand: HttpStand;
beforeEach(async () => {
  stand = await openStand();
});
afterEach(() => stand.close());

/** A small generator, so that a failing seed can be run again. */
function dice(seed: number): (below: number) => number {
  let state = seed >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
}

/** Applies what comes, and complains at once about a hole or a repeat. */
class Device {
  readonly records: LogRecord[] = [];
  connections = 0;
  readonly #stand: HttpStand;
  readonly #session: string;
  constructor(stand: HttpStand, session: string) {
    this.#stand = stand;
    this.#session = session;
  }
  get after(): number {
    return this.records.length;
  }
  /** Connects, takes at most `frames` frames of records, and loses the link; or has all that is to come (`end`: the last seq, once known). */
  async connect(frames: number, end: () => number | null): Promise<void> {
    this.connections++;
    const client = new LiveClient(`ws://127.0.0.1:${this.#stand.port}/api/live`, this.#stand.bearer);
    let left = frames;
    client.onframe = (frame) => {
      if (left === 0) return;
      if (frame.type === 'reset' || frame.type === 'gap') throw new Error(`${frame.type} at ${this.after}`);
      if (frame.type !== 'records') return;
      for (const record of frame.records) {
        if (record.seq !== this.after + 1) throw new Error(`got seq ${record.seq} after ${this.after}`);
        this.records.push(record);
      }
      if (--left === 0) client.close();
    };
    await client.greet();
    client.subscribe(this.#session, { after: this.after, lastId: this.records.at(-1)?.id ?? null, epoch: this.#stand.store.epoch });
    await client.until(() => client.closed !== null || this.after === end());
    client.close();
  }
}

describe('law 8: resume loses nothing and repeats nothing', () => {
  it.each([1, 2, 3, 4])('I27: cut at random while records are committed, seed %i', async (seed) => {
    const roll = dice(seed * 7919);
    const session = await stand.session();
    const { claim, turnId } = await stand.turn(session);
    let written = 0;
    let done = false;
    const write = async (): Promise<void> => {
      for (let step = 0; step < 100; step++) {
        const words = Array.from({ length: 1 + roll(6) }, () => 'x'.repeat(roll(4) === 0 ? 20_000 : 10));
        written = (await stand.seal(claim, turnId, step, words)).at(-1)!.seq;
        if (roll(5) === 0) written = Math.max(written, (await stand.store.input(session, await stand.admit(session)))!.seq);
        if (roll(3) === 0) await new Promise((resolve) => setTimeout(resolve, roll(6)));
      }
      done = true;
    };
    const device = new Device(stand, session);
    const writing = write();
    const end = (): number | null => (done ? written : null);
    while (device.after !== end()) await device.connect(1 + roll(9), end);
    await writing;
    expect(device.records).toEqual(await stand.logOf(session));
    expect(device.connections).toBeGreaterThan(3);
    expect(stand.reports).toEqual([]);
  });

  it('many devices at once, each cut at other places, end with the same log', async () => {
    const session = await stand.session();
    const { claim, turnId } = await stand.turn(session);
    const devices = Array.from({ length: 8 }, () => new Device(stand, session));
    let written = 0;
    let done = false;
    const writing = (async () => {
      for (let step = 0; step < 80; step++) {
        written = (await stand.seal(claim, turnId, step, ['a', 'b'.repeat(5_000)])).at(-1)!.seq;
        await new Promise((resolve) => setTimeout(resolve, step % 4));
      }
      done = true;
    })();
    const end = (): number | null => (done ? written : null);
    await Promise.all(
      devices.map(async (device, at) => {
        const roll = dice(at + 1);
        while (device.after !== end()) await device.connect(1 + roll(12), end);
      }),
    );
    await writing;
    const log = await stand.logOf(session);
    for (const device of devices) expect(device.records).toEqual(log);
  });

  it('what is pending is told with its receipt after every resume, also what was admitted during the replay', async () => {
    const session = await stand.session();
    const { claim, turnId } = await stand.turn(session);
    for (let step = 0; step < 30; step++) await stand.seal(claim, turnId, step, ['y'.repeat(30_000)]);
    const early = await stand.admit(session);
    const client = await new LiveClient(`ws://127.0.0.1:${stand.port}/api/live`, stand.bearer).greet();
    client.subscribe(session);
    await client.until(() => client.of('records').length > 0);
    const during = await stand.admit(session);
    await client.until(() => client.of('caught-up').length > 0 && client.of('input').some((frame) => frame.receipt.id === during));
    expect(client.of('input').map((frame) => frame.receipt.id)).toContain(early);
    client.close();
  });
});
