import { describe, expect, test } from 'vitest';
import type { Timers } from '#shared/ports.ts';
import { setUp } from '../wire/rig.ts';

describe('B24 (agent part): a message that does not arrive whole', () => {
  test('(a) an error event before any block is retryable and nothing was shown', async () => {
    const { agent, session } = await setUp({ script: (_request, reply) => reply.error('overloaded_error') });
    session.prompt('hello');
    const { error, events } = await session.attempt(agent);
    expect(error).toMatchObject({ name: 'ProviderError', code: 'overloaded', retryable: true, status: null });
    expect(events).toEqual([]);
  });

  test.each([
    ['(b) an error event after text', 'api_error', true],
    ['an error that waiting cannot help', 'invalid_request_error', false],
  ])('%s keeps the text and says whether to try again', async (_name, type, retryable) => {
    const { agent, session } = await setUp({
      script: async (_request, reply) => {
        const at = reply.open({ type: 'text', text: '' });
        for (let n = 0; n < 20; n++) reply.delta(at, { type: 'text_delta', text: `w${n} ` });
        reply.error(type);
      },
    });
    session.prompt('hello');
    const attempted = await session.attempt(agent);
    expect(attempted.error).toMatchObject({ retryable, usage: { input: 10 } });
    session.seal(attempted);
    expect(session.said).toMatch(/^w0 .* w19 $/);
  });

  test.each([
    ['(c) an error after a whole call', 'error'],
    ['(d) a connection that ends with no message_stop', 'finish'],
    ['(d) a connection that is cut', 'drop'],
  ] as const)('%s: retryable, the call is sealed and answered as not run, and the next request is valid', async (_name, end) => {
    const { agent, session, breaches } = await setUp({
      script: async (request, reply) => {
        if (request.n > 0) return reply.text('again');
        await reply.thinking('hm');
        await reply.text('I run it.');
        await reply.tool('run', { command: 'ls' });
        await reply.wait(20);
        reply[end]();
      },
    });
    session.prompt('hello');
    const attempted = await session.attempt(agent);
    expect(attempted.error).toMatchObject({ retryable: true, usage: { input: 10 } });
    const calls = session.seal(attempted);
    expect(calls).toHaveLength(1);
    session.result(calls[0]!, 'Not run: your message was cut off before it was complete.', { isError: true, outcome: 'not-run' });
    session.note('interrupted', '[Your reply was cut off here.]');
    session.step++;
    expect((await session.attempt(agent)).answer?.stop).toBe('end_turn');
    expect(breaches()).toEqual([]);
  });

  test('an open block at message_stop makes a call nobody may run', async () => {
    const { agent, session } = await setUp({
      script: async (_request, reply) => {
        await reply.tool('run', { command: 'rm -rf build/tmp' }, { cut: 24 });
        reply.end('tool_use');
      },
    });
    session.prompt('hello');
    const attempted = await session.attempt(agent);
    expect(attempted.error).toMatchObject({ code: 'cut-stream', retryable: true });
    expect(session.seal(attempted)).toEqual([]);
  });

  test('a message with no stop reason is not taken as whole', async () => {
    const { agent, session } = await setUp({
      script: async (_request, reply) => {
        await reply.text('hm');
        reply.end(null);
      },
    });
    session.prompt('hello');
    expect((await session.attempt(agent)).error).toMatchObject({ code: 'cut-stream', retryable: true });
  });
});

describe('B27 and I19 (agent part): arguments that were cut', () => {
  test('B27: max_tokens inside the arguments says so and leaves no call that could run', async () => {
    const { agent, session, double, breaches } = await setUp({
      script: async (_request, reply) => {
        await reply.text('I clean up.');
        await reply.tool('run', '{"command":"rm -rf build/tmp', { cut: 23 });
        reply.close(1);
        reply.end('max_tokens');
      },
    });
    session.prompt('hello');
    const attempted = await session.attempt(agent);
    expect(attempted.answer?.stop).toBe('max_tokens');
    const [call] = session.seal(attempted);
    session.result(call!, 'Not run.', { isError: true, outcome: 'not-run' });
    session.step++;
    double.script = (_request, reply) => reply.text('ok');
    await session.attempt(agent);
    expect(JSON.stringify(double.log[1]!.body.messages)).toContain('INVALID_JSON');
    expect(breaches()).toEqual([]);
  });

  test('I19: a connection lost half-way in the arguments leaves no call in the log', async () => {
    const { agent, session } = await setUp({
      script: async (_request, reply) => {
        await reply.text('I write.');
        await reply.tool('write', { path: 'a', content: 'long' }, { cut: 12 });
        reply.drop();
      },
    });
    session.prompt('hello');
    const attempted = await session.attempt(agent);
    expect(attempted.error?.retryable).toBe(true);
    expect(session.seal(attempted)).toEqual([]);
    expect(session.said).toBe('I write.');
  });

  test('B27: a tool without parameters streams no arguments and gets an empty object', async () => {
    const { agent, session, double, breaches } = await setUp({
      script: (request, reply) => (request.n === 0 ? reply.tool('list', '') : reply.text('ok')),
    });
    session.prompt('hello');
    await session.turn(agent, (_name, args) => JSON.stringify(args));
    expect(double.log[1]!.results[0]!.text).toBe('{}');
    expect(breaches()).toEqual([]);
  });
});

describe('silence and Stop', () => {
  test('silence past the limit ends the attempt as retryable; what was shown stays', async () => {
    const { agent, session } = await setUp(
      {
        script: async (_request, reply) => {
          reply.delta(reply.open({ type: 'text', text: '' }), { type: 'text_delta', text: 'three ' });
          await reply.silence();
        },
      },
      { silenceMs: 120 },
    );
    session.prompt('hello');
    const { error, live } = await session.attempt(agent);
    expect(error).toMatchObject({ code: 'silence', retryable: true, usage: { input: 10 } });
    expect(live.chunks[0]!.data).toEqual({ text: 'three ' });
  });

  test('silence before the headers counts too', async () => {
    const { agent, session } = await setUp({ script: (_request, reply) => reply.wait(2000).then(() => reply.drop()) }, { silenceMs: 120 });
    session.prompt('hello');
    expect((await session.attempt(agent)).error).toMatchObject({ code: 'silence', retryable: true, usage: null });
  });

  test('pings are life: no text for several limits does not end an attempt', async () => {
    const { agent, session } = await setUp(
      {
        script: async (_request, reply) => {
          for (let n = 0; n < 8; n++) {
            reply.ping();
            await reply.wait(250);
          }
          await reply.text('at last');
        },
      },
      { silenceMs: 1500 },
    );
    session.prompt('hello');
    expect((await session.attempt(agent)).answer?.stop).toBe('end_turn');
  });

  test('B26: a stream that lives for ever on pings ends as retryable at the limit of the whole; what was shown stays', async () => {
    const { agent, session, double } = await setUp(
      {
        script: async (_request, reply) => {
          reply.delta(reply.open({ type: 'text', text: '' }), { type: 'text_delta', text: 'half ' });
          while (!reply.aborted) {
            reply.ping();
            await reply.wait(20);
          }
        },
      },
      { silenceMs: 5000, totalMs: 400 },
    );
    session.prompt('hello');
    const { error, live } = await session.attempt(agent);
    expect(error).toMatchObject({ code: 'too-long', retryable: true, usage: { input: 10 } });
    expect(live.chunks[0]).toMatchObject({ data: { text: 'half ' }, open: true });
    await expect.poll(() => double.log.every((entry) => entry.reply.aborted)).toBe(true);
  });

  test('the limit of the whole is an hour if nobody says otherwise, and is let go with the attempt', async () => {
    const armed = new Map<number, () => void>();
    const timers: Timers = {
      after(ms, callback) {
        armed.set(ms, callback);
        return () => void armed.delete(ms);
      },
    };
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const { agent, session } = await setUp({ script: (request, reply) => (request.n === 0 ? held : reply.text('fine')) }, {}, { timers });
    session.prompt('hello');
    const attempt = session.attempt(agent);
    expect([...armed.keys()]).toContain(3_600_000);
    armed.get(3_600_000)!();
    expect((await attempt).error).toMatchObject({
      code: 'too-long',
      retryable: true,
      usage: null,
      message: expect.stringContaining('60 min'),
    });
    release();
    expect((await session.attempt(agent)).answer?.stop).toBe('end_turn');
    expect(armed.has(3_600_000)).toBe(false);
  });

  test.each(['during silence', 'before the headers', 'before it began'])(
    'Stop %s throws at once and nothing is emitted afterwards',
    async (when) => {
      const { agent, session, double } = await setUp({
        script: async (_request, reply) => {
          if (when === 'before the headers') return reply.wait(3000);
          const at = reply.open({ type: 'text', text: '' });
          reply.delta(at, { type: 'text_delta', text: 'one ' });
          await reply.wait(150);
          reply.delta(at, { type: 'text_delta', text: 'two ' });
          await reply.silence();
        },
      });
      session.prompt('hello');
      const stop = new AbortController();
      if (when === 'before it began') stop.abort();
      let ended = false;
      const attempt = session.attempt(agent, { signal: stop.signal }).finally(() => (ended = true));
      if (when !== 'before it began') await new Promise((resolve) => setTimeout(resolve, 100));
      stop.abort();
      await new Promise((resolve) => setImmediate(resolve));
      expect(ended).toBe(true);
      const attempted = await attempt;
      expect(attempted.error).toMatchObject({ code: 'aborted', retryable: false });
      const shown = attempted.events.length;
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(attempted.events).toHaveLength(shown);
      expect(double.log.filter((entry) => !entry.reply.aborted)).toEqual([]);
    },
  );

  test('what the listener throws is thrown on as it is', async () => {
    const { agent, session } = await setUp({});
    session.prompt('hello');
    const broken = new Error('the listener broke');
    const { error } = await session.attempt(agent, {
      onEvent: () => {
        throw broken;
      },
    });
    expect(error).toBe(broken);
  });
});
