import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { requestBody } from '../../server/agent/request.ts';
import { UNKNOWN_MODEL } from '../../server/agent/capabilities.ts';
import { buildWire } from '../../server/agent/wire.ts';
import { wireHeader } from '../../server/agent/header.ts';
import { wireLines, type WireBody } from '../wire/double.ts';
import { HISTORY_SOURCE, histories, play } from '../wire/histories.ts';
import { TestSession, TOOLS } from '../wire/session.ts';

const PROFILES = ['anthropic', 'plain'] as const;
function bodyOf(session: TestSession, profile: (typeof PROFILES)[number]): WireBody {
  const wire = buildWire(session.records, { profile, source: HISTORY_SOURCE, thinking: true });
  return requestBody(wire, { profile, model: 'm', effort: null, facts: UNKNOWN_MODEL }) as unknown as WireBody;
}

describe.each(PROFILES)('law 11, %s wire', (profile) => {
  test('tools, system and messages of each request are a byte prefix of the next, cache markers aside', () => {
    fc.assert(
      fc.property(histories, (history) => {
        let before: string[] = [];
        play(history, (session) => {
          const lines = wireLines(bodyOf(session, profile));
          expect(lines.slice(0, before.length)).toEqual(before);
          before = lines;
        });
      }),
      { numRuns: 150 },
    );
  });

  test('the wire is a function of sealed records alone: built again, from a copy as the database gives it, it is the same', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const session = play(history, () => undefined);
        const copy = new TestSession();
        copy.records.push(...(JSON.parse(JSON.stringify(session.records)) as typeof session.records));
        expect(JSON.stringify(bodyOf(copy, profile))).toBe(JSON.stringify(bodyOf(session, profile)));
      }),
      { numRuns: 100 },
    );
  });

  test('an event that is no part of the wire moves no byte of it', () => {
    const session = new TestSession();
    session.event('wire-header', wireHeader(TOOLS, '/w'));
    session.prompt('hello');
    const before = JSON.stringify(bodyOf(session, profile));
    session.event('renamed', { title: 'x' });
    session.event('mode-changed', { mode: 'auto' });
    session.event('step-retried', { turnId: session.turnId, step: 0, attempt: 1, reason: 'overloaded' });
    session.chunk('error', 'system', { code: 'overloaded', message: 'busy' });
    session.note('notice', '');
    expect(JSON.stringify(bodyOf(session, profile))).toBe(before);
  });
});

test('law 11: the head is the same bytes whatever order the tools come in', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray(TOOLS, { minLength: TOOLS.length }), (tools) => {
      expect(JSON.stringify(wireHeader(tools, '/w'))).toBe(JSON.stringify(wireHeader(TOOLS, '/w')));
    }),
  );
});

test('law 11: at most two markers beside the system one, none on thinking, and the first is where the request before ended', () => {
  let grown = 0;
  fc.assert(
    fc.property(histories, (history) => {
      let before: string | null = null;
      play(history, (session) => {
        const body = bodyOf(session, 'anthropic');
        const marks = body.messages.flatMap((message, at) =>
          (message.content as { type: string }[]).flatMap((block, n) => ('cache_control' in block ? [`${at}.${n} ${block.type}`] : [])),
        );
        const last = body.messages.at(-1)!;
        const end = `${body.messages.length - 1}.${last.content.length - 1} ${(last.content as { type: string }[]).at(-1)!.type}`;
        expect(marks).toEqual(before === null || before === end ? [end] : [before, end]);
        if (marks.length === 2) grown++;
        before = end;
      });
    }),
    { numRuns: 120 },
  );
  expect(grown).toBeGreaterThan(50);
});
