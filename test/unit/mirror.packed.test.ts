/** A full page as it is stored: the same records come out, whatever characters are in them. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LogRecord } from '#shared/protocol/records.ts';
import { packed, unpacked } from '../../app/mirror/packed.ts';

const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom('', 'é', '日本', '🗻', '\ud83d', '\u2028', '"\\', '0'));
const data = fc.oneof(text, fc.record({ text }), fc.constant(0), fc.constant(null), fc.array(text));

function recordOf(seq: number, value: unknown): LogRecord {
  const role = 'assistant' as const;
  return { kind: 'chunk', sessionId: 's', seq, id: `c${seq}`, turnId: null, step: null, role, type: 'text', data: value, createdAt: seq };
}

test('every page comes out as it went in', () => {
  fc.assert(
    fc.property(fc.array(data, { minLength: 1, maxLength: 100 }), (values) => {
      const records = values.map((value, at) => recordOf(at + 1, value));
      expect(unpacked(packed('s', 0, records)).records).toEqual(records);
    }),
  );
});
test('a text in one byte a character stays so beside data that needs two', () => {
  const page = packed('s', 0, [recordOf(1, { text: 'plain' }), recordOf(2, { text: '日本' }), recordOf(3, { text: 'plain' })]);
  expect(page.heads).not.toMatch(/[\u0100-\uffff]/);
  expect(page.data).toEqual(['', '{"text":"日本"}']);
});
test('a page of an earlier version, with all data apart, is read', () => {
  const records = [recordOf(1, { text: 'a' }), recordOf(2, { text: '日' })];
  const heads = JSON.stringify(records.map((record) => ({ ...record, data: 0 })));
  const old = { sessionId: 's', page: 0, heads, data: records.map((record) => JSON.stringify(record.data)) };
  expect(unpacked(old).records).toEqual(records);
});
