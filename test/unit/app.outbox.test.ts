/** The outbox's pure parts: what may go now, what is asked of the server, what an answer means, how old a prompt is. */
import { describe, expect, test } from 'vitest';
import { EPOCH_HEADER } from '#shared/protocol/version.ts';
import { newRow } from '../../app/own/rows.ts';
import type { Command, OutboxRow } from '../../app/own/port.ts';
import { ageOf, isExpired } from '../../app/sync/age.ts';
import { read } from '../../app/sync/http.ts';
import { orderOf, verdictOf } from '../../app/sync/orders.ts';
import { ready } from '../../app/sync/outbox-rules.ts';

let order = 0;
function row(id: string, command: Command | 'input', over: Partial<OutboxRow> = {}): OutboxRow {
  const asked: Command =
    command === 'input' ? { kind: 'input', content: [{ type: 'text', text: id }], delivery: 'queue', seenSeq: 0 } : command;
  return { ...newRow({ id, sessionId: 's', command: asked, composedAt: 1_000, skew: 0 }, ++order), ...over };
}
const create = (over: Partial<OutboxRow> = {}): OutboxRow => row('s', { kind: 'create', body: { workspace: '/w' } }, over);
const ids = (rows: readonly OutboxRow[]): string[] => ready(rows).map(({ id }) => id);

describe('what may go', () => {
  test('a session first, then its inputs one by one, other sessions meanwhile', () => {
    const other = row('other', 'input', { sessionId: 't' });
    expect(ids([create(), row('a', 'input'), row('b', 'input'), other])).toEqual(['s', 'other']);
    expect(ids([row('a', 'input'), row('b', 'input')])).toEqual(['a']);
    expect(ids([row('a', 'input', { state: 'acked' }), row('b', 'input')])).toEqual(['b']);
  });
  test.each(['refused', 'expired', 'orphaned', 'sending', 'unknown'] as const)(
    'behind an input that is %s, later ones of that session wait',
    (state) => {
      expect(ids([row('a', 'input', { state }), row('b', 'input'), row('p', { kind: 'patch', patch: { title: 'x' } })])).not.toContain('b');
      expect(ids([row('a', 'input', { state }), row('p', { kind: 'patch', patch: { title: 'x' } })])).toContain('p');
    },
  );
  test('an edit waits for its input and for edits before it; a cancel overtakes the input, which then stays', () => {
    const edit = row('e', { kind: 'edit', inputId: 'a', delivery: 'steer' });
    expect(ids([row('a', 'input'), edit])).toEqual(['a']);
    expect(ids([row('a', 'input', { state: 'acked' }), edit, row('f', { kind: 'edit', inputId: 'a', after: null })])).toEqual(['e']);
    expect(ids([row('a', 'input'), row('c', { kind: 'cancel', inputId: 'a' })])).toEqual(['c']);
  });
  test('law 13: written, edited and taken back without a link: the cancel goes, and nothing waits for ever', () => {
    const [edit, cancel] = [row('e', { kind: 'edit', inputId: 'a', delivery: 'steer' }), row('c', { kind: 'cancel', inputId: 'a' })];
    expect(ids([row('a', 'input', { attempted: 'epoch' }), edit, cancel])).toEqual(['c']);
    expect(ids([row('a', 'input', { state: 'acked' }), edit, cancel])).toEqual(['e']);
  });
  test('stop, resume and decisions wait for nobody', () => {
    const rows = [
      row('a', 'input', { state: 'refused' }),
      row('x', { kind: 'stop', turnId: 't' }),
      row('y', { kind: 'resume', pausedSeq: 3 }),
      row('z', { kind: 'decide', approvalId: 'p', decision: 'allow', remember: false }),
    ];
    expect(ids(rows)).toEqual(['x', 'y', 'z']);
  });
});

describe('what is asked', () => {
  test('the same bytes at every try', () => {
    const held = row('a', 'input');
    const tried = { ...held, state: 'sending' as const, tries: 4, attempted: 'e', confirmed: true };
    expect(JSON.stringify(orderOf(tried))).toBe(JSON.stringify(orderOf(held)));
    expect(orderOf(held)).toMatchObject({ method: 'PUT', body: { composedAt: 1_000, seenSeq: 0 } });
    expect(orderOf(held).body).not.toHaveProperty('aimedTurnId');
  });
  test('every other command carries its id', () => {
    const commands: Command[] = [
      { kind: 'edit', inputId: 'a', delivery: 'steer' },
      { kind: 'cancel', inputId: 'a' },
      { kind: 'patch', patch: { title: 'x' } },
      { kind: 'delete' },
      { kind: 'stop', turnId: 't' },
      { kind: 'resume', pausedSeq: 1 },
      { kind: 'decide', approvalId: 'p', decision: 'deny', remember: true },
    ];
    expect(commands.map((command) => (orderOf(row('id', command)).body as { commandId: string }).commandId)).toEqual(
      commands.map(() => 'id'),
    );
  });
});

describe('what counts as an answer', () => {
  const body = JSON.stringify({ error: { code: 'too-large', message: 'no', retryable: false } });
  test.each([
    ['no header', read(413, null, body)],
    ['no JSON', read(200, 'e', '<html>')],
    ['no envelope', read(403, 'e', '{"message":"forbidden"}')],
    ['no code', read(500, 'e', '{"error":{}}')],
  ])('%s: trouble, not a word of the server', (_, answer) => {
    expect(verdictOf(answer)).toEqual({ type: 'trouble' });
  });
  test('final, retryable and 401 are told apart by the envelope', () => {
    expect(verdictOf(read(413, 'e', body))).toEqual({ type: 'refused', code: 'too-large', message: 'no', epoch: 'e' });
    const envelope = (code: string, retryable: boolean): string => JSON.stringify({ error: { code, message: '', retryable } });
    expect(verdictOf(read(503, 'e', envelope('shutting-down', true)))).toEqual({ type: 'trouble' });
    expect(verdictOf(read(401, 'e', envelope('signed-out', false)))).toEqual({ type: 'signed-out', revoked: false });
    expect(verdictOf(read(401, 'e', envelope('device-revoked', false)))).toEqual({ type: 'signed-out', revoked: true });
  });
  test('the header’s name is the contract’s', () => {
    expect(EPOCH_HEADER).toBe('Cairn-Epoch');
  });
});

describe('age', () => {
  const HOUR = 3_600_000;
  const clock = { now: 100 * HOUR, skew: 0, latest: 99 * HOUR };
  const at = (hours: number, skew: number | null = 0) => ({ composedAt: hours * HOUR, skew, confirmed: false });
  test('is known while both clocks agree and none ran back', () => {
    expect(ageOf(at(90), clock)).toBe(10 * HOUR);
    expect(isExpired(at(75), clock)).toBe(true);
    expect(isExpired(at(77), clock)).toBe(false);
  });
  test.each([
    ['the device clock disagrees with the server now', at(10), { ...clock, skew: 7 * HOUR }],
    ['it disagreed when it was written', at(10, -48 * HOUR), clock],
    ['the server was never heard in this run', at(10), { ...clock, skew: null }],
    ['it was never heard when it was written', at(10, null), clock],
    ['the clock ran back', at(10), { ...clock, latest: 200 * HOUR }],
    ['it was written in the future', at(150), clock],
  ])('I35: unknown when %s, and then nothing expires', (_, prompt, facts) => {
    expect(ageOf(prompt, facts)).toBeNull();
    expect(isExpired(prompt, facts)).toBe(false);
  });
  test('what the user said to send anyway does not ask again', () => {
    expect(isExpired({ ...at(1), confirmed: true }, clock)).toBe(false);
  });
});
