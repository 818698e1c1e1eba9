import { describe, expect, test } from 'vitest';
import { group } from '#shared/chunks/group.ts';
import type { ViewChunk } from '#shared/chunks/view.ts';
import { rowsOf, type Row } from '../../app/components/transcript/rows.ts';
import { ordinal, receiptWords } from '../../app/components/transcript/receipt-words.ts';
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
  test('groups in order, then what happens now, then what waits; queued prompts and facts for the model are not among them', () => {
    const rows = rowsOf(group(chunks), [receipt('r1', 'held'), receipt('r2', 'queued')], [], true, []);
    expect(keys(rows)).toEqual(['top', 'p1', 't1.0', 't1.1', 'now', 'r1', 'end']);
  });
  test('a receipt whose chunk is here is the chunk, under the same key', () => {
    expect(keys(rowsOf(group(chunks), [receipt('p1', 'steer')], [], true, []))).toEqual(['top', 'p1', 't1.0', 't1.1', 'now', 'end']);
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
  const facts = { linked: false, signedOut: false, running: true, paused: false, now: new Date(2026, 10, 30, 12).getTime() };
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
    expect(line(receipt('a', 'steer'), { running: false, paused: true })).toBe('Accepted. Waits for Resume');
    expect(line(receipt('a', 'steer'), { running: false })).toBe('Accepted. Opens a turn');
    expect(line(receipt('a', 'held', { place: 1, of: 1 }), { linked: true })).toBe('Held on this device. Goes next');
    expect(line(receipt('a', 'held', { place: 1, of: 1 }), { signedOut: true })).toBe('Held on this device. Sends once you are signed in');
  });
  test('"Sent" is never written', () => {
    const stages: Stage[] = ['held', 'sending', 'steer', 'queued', 'refused', 'expired', 'cancelled', 'unknown', 'orphaned'];
    for (const stage of stages) expect(line(receipt('a', stage))).not.toMatch(/\bsent\b(?!\. Send anyway)/i);
  });
  test('ordinals', () =>
    expect([1, 2, 3, 4, 11, 12, 13, 21, 112].map(ordinal).join(' ')).toBe('1st 2nd 3rd 4th 11th 12th 13th 21st 112th'));
});
