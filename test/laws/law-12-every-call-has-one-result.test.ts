import fc from 'fast-check';
import { expect, test } from 'vitest';
import { requestBody } from '../../server/agent/request.ts';
import { UNKNOWN_MODEL } from '../../server/agent/capabilities.ts';
import { buildWire } from '../../server/agent/wire.ts';
import { type WireBody } from '../wire/double.ts';
import { HISTORY_SOURCE, histories, play } from '../wire/histories.ts';
import { breaches } from '../wire/rules.ts';
import { TestSession } from '../wire/session.ts';

/** Rules that a random history cannot keep: its signatures are made up, and its unknown blocks are unknown to the double. */
const MADE_UP = /^(?:19|20) |type hologram|: hologram from/;

test.each(['anthropic', 'plain'] as const)(
  'law 12, %s wire: over random histories each call has its one result first in the next user message, and no other rule is broken',
  (profile) => {
    let calls = 0;
    let reordered = 0;
    let interrupted = 0;
    fc.assert(
      fc.property(histories, (history) => {
        play(history, (session) => {
          const wire = buildWire(session.records, { profile, source: HISTORY_SOURCE, thinking: true });
          const body = requestBody(wire, { profile, model: 'm', effort: null, facts: UNKNOWN_MODEL }) as unknown as WireBody;
          const context = { profile, models: [], secret: '', issued: new Map(), paused: false };
          expect(breaches(body, context).filter((breach) => !MADE_UP.test(breach))).toEqual([]);
          wire.messages.forEach((message, at) => {
            const uses = message.content.filter((block) => block.type === 'tool_use').map((block) => block['id']);
            const next = wire.messages[at + 1]?.content ?? [];
            expect(next.slice(0, uses.length).map((block) => block['tool_use_id'] ?? null)).toEqual(uses);
            calls += uses.length;
            if (uses.length > 1) reordered++;
          });
          if (session.records.some((record) => record.kind === 'chunk' && record.type === 'system')) interrupted++;
        });
      }),
      { numRuns: 150 },
    );
    // The rare shapes were reached, or the property says nothing.
    expect(calls).toBeGreaterThan(100);
    expect(reordered).toBeGreaterThan(10);
    expect(interrupted).toBeGreaterThan(10);
  },
);

test('law 12: a call without a sealed result cannot be sent: the builder throws', () => {
  const session = new TestSession();
  session.event('wire-header', { system: 's', tools: [] });
  session.prompt('go');
  session.chunk('tool_call', 'assistant', { callId: 'c1', name: 'list', args: '{}' });
  expect(() => buildWire(session.records, { profile: 'anthropic', source: 'x', thinking: true })).toThrow('c1');
});

test('law 12: a result whose call is gone is gone with it, and of two results the first one stands', () => {
  const session = new TestSession();
  session.event('wire-header', { system: 's', tools: [] });
  session.prompt('go');
  session.chunk('tool_call', 'assistant', { callId: 'c1', name: 'list', args: '{}' });
  session.result('c1', 'first');
  session.result('c1', 'second');
  session.result('c9', 'orphan');
  const { messages } = buildWire(session.records, { profile: 'anthropic', source: 'x', thinking: true });
  expect(messages.at(-1)).toEqual({ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'first' }] });
});
