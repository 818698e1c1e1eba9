/** What many onlookers cost: counted, not timed. What goes to all is put into bytes once. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type HttpStand, openStand } from '../support/http-stand.ts';
import { LiveClient } from '../support/live-client.ts';

let stand: HttpStand;
const clients: LiveClient[] = [];
beforeEach(async () => {
  stand = await openStand();
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const client of clients.splice(0)) client.close();
  await stand.close();
});

it.each([1, 12])('with %i looking on, a frame of what streams is written once, and a commit once', async (count) => {
  const session = await stand.session();
  const { claim, turnId } = await stand.turn(session);
  for (let n = 0; n < count; n++) {
    const client = await new LiveClient(`ws://127.0.0.1:${stand.port}/api/live`, stand.bearer).greet();
    clients.push(client);
    client.subscribe(session);
    await client.until(() => client.of('live-snapshot').length === 1);
  }
  const written = vi.spyOn(JSON, 'stringify');
  /** The frames of a type that were turned into text, and records by themselves. */
  const texts = (type: string): number => written.mock.results.filter(({ value }) => String(value).startsWith(`{"type":"${type}"`)).length;
  const events = [{ turnId, step: 0, type: 'text-delta' as const, i: 0, text: 'words' }];
  stand.runner.stream({ sessionId: session, turnId, step: 0, attempt: 0, phase: 'message', n: 1, events });
  for (const client of clients) await client.until(() => client.of('live').length === 1);
  expect(texts('live')).toBe(1);

  written.mockClear();
  await stand.seal(claim, turnId, 0, ['only once']);
  for (const client of clients)
    await client.until(() => client.of('records').some(({ records }) => JSON.stringify(records).includes('only once')));
  const record = written.mock.calls.filter(([value]) => typeof value === 'object' && value !== null && 'seq' in value && 'kind' in value);
  expect(record).toHaveLength(1);
  expect(texts('session')).toBe(1);
});
