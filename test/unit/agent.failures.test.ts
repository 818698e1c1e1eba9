import { describe, expect, test } from 'vitest';
import { providerError, type Fault } from '../../server/agent/failures.ts';
import { setUp } from '../wire/rig.ts';

const NOW = Date.parse('2026-11-30T12:00:00Z');
function fault(about: Partial<Fault>, headers: Record<string, string> = {}): Fault {
  return {
    kind: 'answer',
    status: null,
    type: null,
    errorCode: null,
    message: 'm',
    header: (name) => headers[name] ?? null,
    cause: null,
    ...about,
  };
}

describe('whether trying again can help', () => {
  test.each([
    [408, true],
    [409, true],
    [429, true],
    [500, true],
    [503, true],
    [529, true],
    [400, false],
    [401, false],
    [403, false],
    [404, false],
    [413, false],
    [422, false],
  ])('status %i: %s', (status, retryable) => {
    expect(providerError(fault({ status }), NOW, null)).toMatchObject({ status, retryable, code: `http-${status}` });
  });

  test.each([
    ['overloaded_error', true],
    ['api_error', true],
    ['rate_limit_error', true],
    ['timeout_error', true],
    ['invalid_request_error', false],
    ['authentication_error', false],
  ])('%s in the stream: %s', (type, retryable) => {
    expect(providerError(fault({ kind: 'stream', type }), NOW, null).retryable).toBe(retryable);
  });

  test('the provider has the last word, except on a spent budget', () => {
    expect(providerError(fault({ status: 400 }, { 'x-should-retry': 'true' }), NOW, null).retryable).toBe(true);
    expect(providerError(fault({ status: 529 }, { 'x-should-retry': 'false' }), NOW, null).retryable).toBe(false);
    const spent = fault({ status: 429, errorCode: 'enforced_spend_limit_reached' }, { 'x-should-retry': 'true' });
    expect(providerError(spent, NOW, null)).toMatchObject({ retryable: false, code: 'enforced-spend-limit-reached' });
    expect(providerError(fault({ kind: 'connection' }), NOW, null)).toMatchObject({ retryable: true, code: 'connection' });
  });
});

describe('R6 (agent part): all of the wait that was asked for is passed on', () => {
  test.each([
    [{ 'retry-after': '171' }, 171_000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 1500],
    [{ 'retry-after': 'Mon, 30 Nov 2026 12:01:00 GMT' }, 60_000],
    [{ 'retry-after': 'Mon, 30 Nov 2026 11:00:00 GMT' }, null],
    [{ 'retry-after': 'soon' }, null],
    [{}, null],
  ])('%j: %s ms', (headers, ms) => {
    expect(providerError(fault({ status: 429 }, headers as Record<string, string>), NOW, null).retryAfter).toBe(ms);
  });

  test('over the wire: one request only, and the wait of the 429', async () => {
    const { agent, session, double } = await setUp({
      script: (_request, reply) => reply.fail(429, 'rate_limit_error', 'slow down', { 'retry-after': '171' }),
    });
    session.prompt('hello');
    expect((await session.attempt(agent)).error).toMatchObject({
      status: 429,
      code: 'rate-limit',
      retryable: true,
      retryAfter: 171_000,
      usage: null,
    });
    expect(double.log).toHaveLength(1);
  });

  test('nobody listens: a connection error that names the reason, and can be tried again', async () => {
    const { agent, session, double } = await setUp();
    await double.close();
    session.prompt('hello');
    const { error } = await session.attempt(agent);
    expect(error).toMatchObject({ code: 'connection', retryable: true, status: null });
    expect(error?.message).toContain('ECONNREFUSED');
  });

  test('records that cannot be sent are no fault of the provider: no request, no retry', async () => {
    const { agent, session, double } = await setUp();
    session.prompt('hello');
    session.chunk('tool_call', 'assistant', { callId: 'c1', name: 'list', args: '{}' });
    expect((await session.attempt(agent)).error).toMatchObject({ code: 'wire', retryable: false });
    expect(double.log).toHaveLength(0);
  });
});
