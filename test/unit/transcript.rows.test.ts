import { describe, expect, test } from 'vitest';
import { group } from '#shared/chunks/group.ts';
import type { ViewChunk } from '#shared/chunks/view.ts';
import { rowsOf, type Row } from '../../app/components/transcript/rows.ts';
import { actsOf } from '../../app/components/transcript/receipt-acts.ts';
import { ordinal, receiptWords, STAGE_STONES } from '../../app/components/transcript/receipt-words.ts';
import type { ReceiptView, Stage } from '../../app/sync/views.ts';
import { receiptView } from '../support/receipt-view.ts';

function chunk(id: string, type: string, turnId: string, step: number, data: unknown = {}): ViewChunk {
  return { id, type, turnId, step, role: type === 'prompt' ? 'user' : type === 'system' ? 'system' : 'assistant', data, seq: 1 };
}
const receipt = (id: string, stage: Stage, more: Partial<ReceiptView> = {}): ReceiptView => receiptView(id, stage, 'words', more);
const keys = (rows: readonly Row[]): string[] => rows.map((row) => row.key);

describe('rows of the transcript', () => {
  const chunks = [
    chunk('p1', 'prompt', 't1', 0),
    chunk('t1.0.m.0', 'text', 't1', 0),
    chunk('c', 'system', 't1', 0, { kind: 'context', text: 'x' }),
    chunk('t1.1.m.0', 'text', 't1', 1),
  ];
  test('groups in order, then what waits, then what happens now; queued prompts and facts for the model are not among them', () => {
    const rows = rowsOf(group(chunks), [receipt('r1', 'held'), receipt('r2', 'queued')], [], true, []);
    expect(keys(rows)).toEqual(['top', 'p1', 't1.0', 't1.1', 'edge', 'r1', 'now', 'end']);
  });
  test('a receipt whose chunk is here is the chunk, under the same key', () => {
    expect(keys(rowsOf(group(chunks), [receipt('p1', 'steer')], [], true, []))).toEqual([
      'top',
      'p1',
      't1.0',
      't1.1',
      'edge',
      'now',
      'end',
    ]);
  });
  test('a delta, which moves nothing, gives the same list back', () => {
    const before = rowsOf(group(chunks), [], [], true, []);
    const grown = [...chunks.slice(0, -1), { ...chunks.at(-1)!, data: { text: 'more' } }];
    expect(rowsOf(group(grown), [], [], true, before)).toBe(before);
  });
  test('above the tail nothing that waits is shown as if it came next', () => {
    expect(keys(rowsOf(group(chunks), [receipt('r1', 'held')], [], false, []))).not.toContain('r1');
  });
});

describe('receipt words', () => {
  const facts = {
    linked: false,
    signedOut: false,
    running: true,
    pausedSeq: null as number | null,
    now: new Date(2026, 10, 30, 12).getTime(),
  };
  const line = (view: ReceiptView, more: Partial<typeof facts> = {}): string => {
    const words = receiptWords(view, { ...facts, ...more });
    return words.strong + words.rest + (words.more ?? '');
  };
  test.each<[ReceiptView, string]>([
    [receipt('a', 'held', { place: 1, of: 2 }), 'Held on this device, 1 of 2. Sends when the link is back'],
    [receipt('a', 'sending', { tries: 3 }), 'Sending, try 3. The words are safe here'],
    [receipt('a', 'steer'), 'Accepted. Joins after this step'],
    [receipt('a', 'queued', { place: 2 }), 'Queued, 2nd. Opens its own turn'],
    [receipt('a', 'refused', { reason: 'the file is 41 MB, the limit is 32 MB' }), 'Refused: the file is 41 MB, the limit is 32 MB'],
    [receipt('a', 'orphaned'), 'Refused: this session was deleted on another device'],
    [receipt('a', 'expired', { composedAt: new Date(2026, 10, 27, 12).getTime() }), 'Written 3 days ago, never sent. Send anyway?'],
  ])('law 16: a stage is told in the words of the look: %#', (view, words) => {
    expect(line(view)).toBe(words);
  });
  test('law 16: nothing is promised that does not hold: idle, paused, and a link that is up', () => {
    expect(line(receipt('a', 'steer'), { running: false, pausedSeq: 9 })).toBe('Accepted. Waits for Resume');
    expect(line(receipt('a', 'steer'), { running: false, linked: true })).toBe('Accepted. Opens a turn');
    expect(line(receipt('a', 'steer'), { running: false, linked: false })).toBe('Accepted.');
    expect(line(receipt('a', 'held', { place: 1, of: 1 }), { linked: true })).toBe('Held on this device. Goes next');
    expect(line(receipt('a', 'held', { place: 1, of: 1 }), { signedOut: true })).toBe('Held on this device. Sends once you are signed in');
  });
  test.each<[string, ReceiptView, string]>([
    ['changed here, and there', receipt('a', 'queued', { conflict: [] }), 'Changed on another device too. Choose the words that stay'],
    [
      'edited without a link',
      receipt('a', 'steer', { changeHeld: true, heldContent: [] }),
      'Edit held on this device. The old words stay with the server until the link is back',
    ],
    [
      'taken back without a link',
      receipt('a', 'steer', { changeHeld: true, undoable: true }),
      'Cancel held on this device. It stays accepted until the link is back',
    ],
    [
      'queued in place of a steer',
      receipt('a', 'queued', { place: 1, note: 'other-turn' }),
      'Queued, 1st. Another turn was running than the one you wrote for',
    ],
    ['not moved', receipt('a', 'queued', { place: 2, note: 'not-moved' }), 'Queued, 2nd. Not moved: the prompt it was to follow is gone'],
    [
      'too many',
      receipt('a', 'refused', { code: 'too-many-pending' }),
      'Refused: 200 prompts wait in this session already. Cancel one, or let some run',
    ],
    ['too long', receipt('a', 'refused', { code: 'too-large' }), 'Refused: the text is longer than 1 MB'],
    [
      'edited too late',
      receipt('a', 'refused', { code: 'already-promoted' }),
      'Refused: the prompt is in the transcript with its old words',
    ],
    ['edited what was cancelled', receipt('a', 'refused', { code: 'gone' }), 'Refused: the prompt was cancelled meanwhile'],
    ['cancelled here', receipt('a', 'cancelled', { undoable: true }), 'Cancelled.'],
    ['cancelled elsewhere', receipt('a', 'cancelled'), 'Cancelled on another device'],
    ['unknown', receipt('a', 'unknown'), 'Checking. It may be with the server already; the words are safe here'],
  ])('law 16: what others did meanwhile is told: %s', (_, view, words) => {
    expect(line(view)).toBe(words);
  });
  test('stale intent: a prompt written before a pause waits, and says why; one written by who saw it does not', () => {
    const paused = { running: false, pausedSeq: 9 };
    expect(line(receipt('a', 'steer', { seenSeq: 8 }), paused)).toBe('Accepted. Paused after you wrote it. Waits for Resume');
    expect(line(receipt('a', 'queued', { seenSeq: 8, place: 1 }), paused)).toBe('Queued, 1st. Paused after you wrote it');
    expect(line(receipt('a', 'queued', { seenSeq: 9, place: 1 }), paused)).toBe('Queued, 1st. Opens its own turn');
  });
  test('an input that was not to wake the session is not said to open a turn', () => {
    const idle = { running: false };
    expect(line(receipt('a', 'steer', { asleep: true }), idle)).toBe(
      'Accepted. Written not to wake the session: runs with the next prompt',
    );
    expect(line(receipt('a', 'queued', { asleep: true, place: 1 }), idle)).toBe('Queued, 1st. Runs once another prompt wakes the session');
    expect(line(receipt('a', 'steer', { asleep: true }))).toBe('Accepted. Joins after this step');
  });
  test('each stage has its own stone, and what can be done about it', () => {
    const stages = Object.keys(STAGE_STONES) as Stage[];
    expect(new Set(Object.values(STAGE_STONES)).size).toBe(stages.length);
    const acts = (stage: Stage, more: Partial<ReceiptView> = {}): string => actsOf(receipt('a', stage, more), true).join(' ');
    expect(stages.map((stage) => `${stage}: ${acts(stage)}`)).toEqual([
      'held: edit queue cancel',
      'sending: cancel',
      'steer: edit queue cancel',
      'queued: edit steer cancel',
      'refused: copy edit discard',
      'orphaned: send-again copy discard',
      'expired: send edit discard',
      'unknown: copy',
      'cancelled: write-again dismiss',
    ]);
    expect(acts('cancelled', { undoable: true })).toBe('undo dismiss');
    expect(acts('steer', { undoable: true })).toBe('undo');
    expect(acts('refused', { code: 'too-many-pending' })).toBe('send-again copy edit discard');
    expect(actsOf(receipt('a', 'orphaned'), false)).not.toContain('send-again');
  });
  test('"Sent" is never written', () => {
    const stages: Stage[] = ['held', 'sending', 'steer', 'queued', 'refused', 'expired', 'cancelled', 'unknown', 'orphaned'];
    for (const stage of stages) expect(line(receipt('a', stage))).not.toMatch(/\bsent\b(?!\. Send anyway)/i);
  });
  test('ordinals', () =>
    expect([1, 2, 3, 4, 11, 12, 13, 21, 112].map(ordinal).join(' ')).toBe('1st 2nd 3rd 4th 11th 12th 13th 21st 112th'));
});
