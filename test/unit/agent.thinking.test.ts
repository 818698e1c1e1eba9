import { describe, expect, test } from 'vitest';
import { setUp } from '../wire/rig.ts';

describe('B37 (agent part): thinking', () => {
  test('signed, redacted and empty thinking go back byte for byte over many steps', async () => {
    const odd = 'Zalgo ẓ̌ and \u2028 and 🪨👩‍👩‍👧 "quotes" \\ and trailing  ';
    const { agent, session, double, breaches } = await setUp({
      script: async (request, reply) => {
        await reply.thinking(request.n === 1 ? '' : odd, { deltas: 37 });
        reply.redacted('b64/+==');
        if (request.n >= 3) return reply.text('done');
        await reply.text('  step ');
        await reply.tool('list', {});
      },
    });
    session.prompt('go');
    await session.turn(agent, () => '');
    session.prompt('again');
    await session.turn(agent, () => 'x');
    expect(double.log).toHaveLength(5);
    expect(breaches()).toEqual([]);
    expect(double.log[4]!.raw.split('"signature"').length - 1).toBe(4);
    expect(double.log[4]!.raw.split('"redacted_thinking"').length - 1).toBe(4);
  });

  test('thinking that Stop cut off has no signature and is never sent; what follows is accepted', async () => {
    const { agent, session, double, breaches } = await setUp({
      script: async (request, reply) => {
        if (request.n > 0) return reply.text('ok');
        await reply.thinking('I was thinking about', { signed: false });
        await reply.silence();
      },
    });
    session.prompt('go');
    const stop = new AbortController();
    const attempted = await session.attempt(agent, {
      signal: stop.signal,
      onEvent: (event) => event.type === 'thinking-end' && stop.abort(),
    });
    session.seal(attempted);
    session.note('interrupted', '[The user stopped you here.]');
    session.prompt('go on');
    expect((await session.attempt(agent)).answer?.stop).toBe('end_turn');
    expect(double.log[1]!.raw).not.toContain('I was thinking');
    expect(breaches()).toEqual([]);
  });

  test('rejected thinking is left out once, the repair is kept, and later thinking lives on', async () => {
    const { agent, session, double } = await setUp({
      script: async (request, reply) => {
        await reply.thinking(`thought ${request.n}`);
        await reply.text(`answer ${request.n}`);
      },
    });
    session.prompt('one');
    await session.turn(agent, () => '');
    double.secret = 'rotated';
    session.prompt('two');
    const repaired = await session.attempt(agent);
    expect(repaired.answer).toMatchObject({ stop: 'end_turn', thinkingOff: true });
    session.seal(repaired);
    session.step++;
    expect(double.log.map((entry) => entry.breaches.length > 0)).toEqual([false, true, false]);
    session.prompt('three');
    expect((await session.attempt(agent)).answer).toMatchObject({ thinkingOff: false });
    expect(double.log).toHaveLength(4);
    expect(double.log[3]!.breaches).toEqual([]);
  });

  test('when leaving thinking out does not help, the first error is the one that is told', async () => {
    const { agent, session, double } = await setUp({
      script: async (request, reply) => {
        if (request.n > 0) return reply.fail(400, 'invalid_request_error', `no ${request.n}`);
        await reply.thinking('hm');
        await reply.text('ok');
      },
    });
    session.prompt('one');
    await session.turn(agent, () => '');
    session.prompt('two');
    const { error } = await session.attempt(agent);
    expect(error).toMatchObject({ status: 400, retryable: false });
    expect(error?.message).toContain('no 1');
    expect(double.log).toHaveLength(3);
  });

  test('thinking signed elsewhere is not sent to another base URL', async () => {
    const first = await setUp({
      script: async (_request, reply) => {
        await reply.thinking('mine');
        await reply.text('ok');
      },
    });
    first.session.prompt('one');
    await first.session.turn(first.agent, () => '');
    await first.double.close();
    const { agent, double, breaches } = await setUp();
    first.session.prompt('two');
    await first.session.attempt(agent);
    expect(double.log[0]!.raw).not.toContain('"thinking":"mine"');
    expect(breaches()).toEqual([]);
  });
});

describe('B39 (agent part): nothing blank goes out', () => {
  test('an empty text block, a tool with no output, a message of thinking only, spaces in a prompt', async () => {
    const { agent, session, double, breaches } = await setUp({
      script: async (request, reply) => {
        await reply.thinking('hm');
        if (request.n === 2) return;
        reply.close(reply.open({ type: 'text', text: '' }));
        await reply.text(' \n ');
        if (request.n === 0) await reply.tool('run', { command: 'true' });
        if (request.n > 2) await reply.text('ok');
      },
    });
    session.prompt('go', '   ');
    await session.turn(agent, () => ' \n');
    session.note('empty', '[Your reply was empty. Go on.]');
    await session.turn(agent, () => '');
    session.note('empty', '[Your reply was empty. Go on.]');
    session.prompt('  and now');
    await session.turn(agent, () => '');
    session.prompt('more');
    await session.turn(agent, () => '');
    expect(breaches()).toEqual([]);
    expect(double.log[1]!.results[0]!.text).toBe('(no output)');
    expect(double.log.at(-1)!.raw).toContain('  and now');
  });
});
