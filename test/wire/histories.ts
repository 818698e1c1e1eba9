/** Random sessions as they could be sealed: steps of every shape, steers, interruptions, cuts, repairs. For laws 11 and 12. */
import fc from 'fast-check';
import { TestSession } from './session.ts';

const SOURCE = 'source-a';
const words = fc.constantFrom('', ' ', '\n', 'word', 'two words', '  edge  ', '🪨 stone', 'lone \ud83d');

const block = fc.oneof(
  fc.record({ kind: fc.constant('text' as const), text: words }),
  fc.record({
    kind: fc.constant('thinking' as const),
    text: words,
    signature: fc.constantFrom(undefined, '', 'sig+/='),
    source: fc.constantFrom(SOURCE, 'source-b'),
  }),
  fc.record({ kind: fc.constant('redacted' as const), data: fc.constantFrom('x', 'y') }),
  fc.record({ kind: fc.constant('unknown' as const), replay: fc.boolean() }),
  fc.record({
    kind: fc.constant('call' as const),
    name: fc.constantFrom('list', 'a b!', ''),
    args: fc.constantFrom('', '{}', '{"a":"\\ud83d"}', '{"cut', '[1]', '{"__proto__":1,"2":0,"1":{}}'),
    result: words,
    isError: fc.boolean(),
    order: fc.nat(9),
  }),
);

const step = fc.record({
  blocks: fc.array(block, { maxLength: 5 }),
  end: fc.constantFrom('complete', 'complete', 'complete', 'interrupted', 'refused'),
  /** Rows between the results. */
  early: fc.boolean(),
  steers: fc.array(words, { maxLength: 2 }),
});
const turn = fc.record({ prompts: fc.array(words, { minLength: 1, maxLength: 3 }), steps: fc.array(step, { minLength: 1, maxLength: 4 }) });
export const histories = fc.array(turn, { minLength: 1, maxLength: 4 });
export type History = typeof histories extends fc.Arbitrary<infer T> ? T : never;

/** Seals a history row by row; `request` is called at every point where the runner would make a request. */
export function play(history: History, request: (session: TestSession) => void): TestSession {
  const session = new TestSession();
  session.event('wire-header', { system: 'be good', tools: [{ name: 'list', description: 'l', input_schema: { type: 'object' } }] });
  let calls = 0;
  for (const { prompts, steps } of history) {
    session.prompt('go', ...prompts);
    for (const { blocks, end, early, steers } of steps) {
      request(session);
      const results: { order: number; seal: () => void }[] = [];
      for (const one of blocks) {
        if (one.kind === 'text') session.chunk('text', 'assistant', { text: one.text });
        else if (one.kind === 'thinking') {
          const { text, signature, source } = one;
          session.chunk('thinking', 'assistant', { text, ...(signature === undefined ? {} : { signature, source }) });
        } else if (one.kind === 'redacted') session.chunk('raw', 'assistant', { block: { type: 'redacted_thinking', data: one.data } });
        else if (one.kind === 'unknown') session.chunk('raw', 'assistant', { block: { type: 'hologram' }, replay: one.replay });
        else {
          const callId = `call_${calls++}`;
          session.chunk('tool_call', 'assistant', { callId, name: one.name, args: one.args });
          results.push({ order: one.order, seal: () => session.result(callId, one.result, { isError: one.isError }) });
        }
      }
      session.chunk('usage', 'system', { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, model: 'm' });
      if (end === 'refused') session.chunk('error', 'system', { code: 'refusal', message: 'no' });
      if (early) session.note('notice', '[a note before the results]');
      // Parallel tools end in any order; the wire has them in call order.
      for (const result of results.toSorted((a, b) => a.order - b.order)) result.seal();
      if (end === 'interrupted') session.note('interrupted', '[You were cut off here.]');
      else if (end === 'refused') session.note('notice', '[That was refused.]');
      for (const words of steers) session.steer('steer', words);
      // A step that leaves nothing to answer is only ever followed by a note.
      if (results.length === 0 && end === 'complete' && steers.length === 0) session.note('empty', '[Go on.]');
      session.step++;
    }
  }
  request(session);
  return session;
}
export const HISTORY_SOURCE = SOURCE;
