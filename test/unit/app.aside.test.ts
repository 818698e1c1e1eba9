/** What was written beside own work while its database took nothing, put back: no word of either side is dropped (law 3). */
import { expect, test } from 'vitest';
import { mergeOf, type Aside } from '../../app/own/aside.ts';
import { newRow } from '../../app/own/rows.ts';
import type { OutboxRow } from '../../app/own/port.ts';

const prompt = (text: string, over: Partial<OutboxRow> = {}): OutboxRow => ({
  ...newRow(
    {
      id: 'a',
      sessionId: 's',
      composedAt: 1,
      skew: 0,
      command: { kind: 'input', content: [{ type: 'text', text }], delivery: 'steer', seenSeq: 0 },
    },
    1,
  ),
  ...over,
});
const aside = (was: OutboxRow | null, now: OutboxRow | null): Aside => ({ v: 1, rows: [{ id: 'a', was, now }], drafts: [], facts: [] });
const merge = (was: OutboxRow | null, now: OutboxRow | null, held: OutboxRow) => mergeOf(aside(was, now), [held], new Map());

test('sent from memory with the old words: those that another window changed stay to be sent', () => {
  const was = prompt('old');
  const held = prompt('new');
  expect(merge(was, prompt('old', { state: 'acked', tries: 1 }), held)).toMatchObject({ put: [], remove: [] });
  expect(merge(was, null, held), 'run, and gone from memory').toMatchObject({ put: [], remove: [] });
});
test('sent from memory, and changed nowhere else: what the server has is further, and what is done goes', () => {
  const was = prompt('old');
  const acked = prompt('old', { state: 'acked', tries: 1 });
  expect(merge(was, acked, was)).toMatchObject({ put: [acked], remove: [] });
  expect(merge(was, acked, prompt('old', { state: 'sending', tries: 1 }))).toMatchObject({ put: [acked] });
  expect(merge(was, null, was)).toMatchObject({ put: [], remove: ['a'] });
});
test('the same twice changes nothing', () => {
  const acked = prompt('old', { state: 'acked', tries: 1 });
  expect(merge(prompt('old'), acked, acked)).toEqual({ put: [], remove: [], drafts: [] });
});
