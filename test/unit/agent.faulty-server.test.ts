import { describe, expect, test } from 'vitest';
import { setUp } from '../wire/rig.ts';

describe('faulty servers', () => {
  test('index gaps, a start on an open index, stray deltas and stops: nothing is merged wrongly, all is reported', async () => {
    const { agent, session, effects } = await setUp({
      script: (_request, reply) => {
        reply.open({ type: 'text', text: 'A' }, 3);
        reply.delta(3, { type: 'text_delta', text: 'a' });
        reply.delta(3, { type: 'input_json_delta', partial_json: '{' });
        reply.delta(9, { type: 'text_delta', text: 'lost' });
        reply.open({ type: 'text', text: '' }, 3);
        reply.delta(3, { type: 'text_delta', text: 'b' });
        reply.close(3);
        reply.close(8);
        reply.open({ type: 'text', text: '' }, 7);
        reply.delta(7, { type: 'text_delta', text: 'c' });
        reply.end('end_turn');
      },
    });
    session.prompt('hello');
    const { answer, live } = await session.attempt(agent);
    expect(answer?.stop).toBe('end_turn');
    expect(live.chunks.map((chunk) => [chunk.i, chunk.data, chunk.open])).toEqual([
      [0, { text: 'Aa' }, false],
      [1, { text: 'b' }, false],
      [2, { text: 'c' }, false],
    ]);
    expect(effects.reports.map((report) => report.event)).toEqual([
      'agent.stray-delta',
      'agent.stray-delta',
      'agent.block-restarted',
      'agent.stray-stop',
    ]);
  });

  test('ids that repeat, break the pattern or are missing are replaced by ours, fixed from the start', async () => {
    const { agent, session, breaches } = await setUp({
      script: async (request, reply) => {
        if (request.n > 1) return reply.text('ok');
        await reply.tool('list', {}, { id: 'call_0' });
        await reply.tool('list', {}, { id: 'bad id!' });
        await reply.tool('list', {}, { id: '' });
      },
    });
    session.prompt('hello');
    await session.turn(agent, () => 'x');
    const ids = session.records.flatMap((record) =>
      record.kind === 'chunk' && record.type === 'tool_call' ? [(record.data as { callId: string }).callId] : [],
    );
    expect(ids).toHaveLength(6);
    expect(new Set(ids).size).toBe(6);
    expect(ids[0]).toBe('call_0');
    expect(ids.every((id) => /^[a-zA-Z0-9_-]+$/.test(id))).toBe(true);
    expect(breaches()).toEqual([]);
  });

  test('input sent whole at the start, a made-up tool name, surrogates split over deltas, NUL', async () => {
    const { agent, session, breaches } = await setUp({
      script: async (request, reply) => {
        if (request.n > 0) return reply.text('ok');
        const text = reply.open({ type: 'text', text: '' });
        for (const piece of ['rock \ud83e', '\udea8 and \ud83e', ' lone, N\0UL']) reply.delta(text, { type: 'text_delta', text: piece });
        reply.close(text);
        reply.close(reply.open({ type: 'tool_use', id: 'c1', name: 'functions.list files', input: { path: 'x\ud83e' } }));
        reply.end('tool_use');
      },
    });
    session.prompt('hello');
    const attempted = await session.attempt(agent);
    expect(attempted.live.chunks[0]!.data).toEqual({ text: 'rock 🪨 and \ufffd lone, NUL' });
    const calls = session.seal(attempted);
    session.result(calls[0]!, 'No such tool.', { isError: true });
    session.step++;
    expect((await session.attempt(agent)).answer?.stop).toBe('end_turn');
    expect(breaches()).toEqual([]);
  });

  test('unknown blocks are kept verbatim; one with unknown deltas is never replayed; unknown events pass by', async () => {
    const { agent, session, double, breaches } = await setUp({
      script: async (request, reply) => {
        if (request.n > 0) return reply.text('ok');
        reply.send('weather', { sunny: true });
        const at = reply.open({ type: 'hologram', beam: [1, 2] });
        reply.delta(at, { type: 'hologram_delta', beam: 3 });
        reply.close(at);
        await reply.text('there');
      },
    });
    session.prompt('hello');
    const attempted = await session.attempt(agent);
    expect(attempted.live.chunks[0]!.data).toEqual({ block: { type: 'hologram', beam: [1, 2] }, replay: false });
    session.seal(attempted);
    session.prompt('more');
    await session.attempt(agent);
    expect(double.log[1]!.raw).not.toContain('hologram');
    expect(breaches()).toEqual([]);
  });

  test('citations are kept with their text and go back with it', async () => {
    const citation = {
      type: 'char_location',
      cited_text: 'x',
      document_index: 0,
      document_title: null,
      start_char_index: 0,
      end_char_index: 1,
    };
    const { agent, session, double } = await setUp({
      script: (request, reply) => {
        if (request.n > 0) return reply.text('ok');
        const at = reply.open({ type: 'text', text: '' });
        reply.delta(at, { type: 'text_delta', text: 'x is so' });
        reply.delta(at, { type: 'citations_delta', citation });
        reply.close(at);
      },
    });
    session.prompt('hello');
    await session.turn(agent, () => '');
    session.prompt('more');
    await session.turn(agent, () => '');
    expect(double.log[1]!.body.messages[1]!.content).toEqual([{ type: 'text', text: 'x is so', citations: [citation] }]);
  });
});
