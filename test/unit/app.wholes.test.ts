/** What streamed whole stays whole when it is sealed by reference. */
import { expect, test } from 'vitest';
import { emptyFold, fold, type LiveFold } from '#shared/chunks/fold.ts';
import { isBlobRef, type LogRecord } from '#shared/protocol/records.ts';
import { Wholes } from '../../app/sync/wholes.ts';
import { until } from '../support/device/device.ts';
import { played } from '../support/device/played.ts';
import { textChunk } from '../support/device/records.ts';

const LONG = 'wörds '.repeat(20_000);

test('a long answer does not shrink at its seal: its data is there by hash, frozen, and in the mirror too', async () => {
  const at = played();
  at.history(3);
  await at.mirrored();
  at.connect();
  await at.transcript.open(null);
  at.openTurn('now');
  at.begin(0, 'message');
  at.stream([
    { type: 'text-delta', i: 0, text: LONG },
    { type: 'text-delta', i: 1, text: 'short' },
  ]);
  await at.settle();
  let unreadable = 0;
  at.screen.check = ({ chunks, live, wholes }) => {
    const readable = [...chunks, ...(live?.chunks ?? [])].some(({ id, data }) => {
      const whole = isBlobRef(data) ? wholes.get(data.blob.sha256) : data;
      return id === 'now.0.m.0' && (whole as { text: string } | undefined)?.text === LONG;
    });
    if (!readable) unreadable++;
  };
  at.seal();
  await at.settle();
  const sealed = at.screen.view.chunks.find(({ id }) => id === 'now.0.m.0')!.data;
  if (!isBlobRef(sealed)) throw new Error('it is kept by reference');
  expect(unreadable).toBe(0);
  expect([...at.screen.view.wholes.keys()]).toEqual([sealed.blob.sha256]);
  expect(Object.isFrozen(at.screen.view.wholes.get(sealed.blob.sha256))).toBe(true);
  await until(async () => (await at.mirror.blob(sealed.blob.sha256)) !== undefined, 'it is in the mirror');
  expect(await at.mirror.blob(sealed.blob.sha256)).toEqual({ text: LONG });
  // The same map, as long as it holds the same: nothing is told for a delta.
  const before = at.screen.view.wholes;
  at.begin(1, 'message');
  at.stream([{ type: 'text-delta', i: 0, text: 'x' }]);
  await at.settle();
  expect(at.screen.view.wholes).toBe(before);
  expect(at.reports).toEqual([]);
});

const said = (...texts: string[]): LiveFold =>
  fold(
    emptyFold({ turnId: 't', step: 0, attempt: 0, phase: 'message' }),
    texts.map((text, i) => ({ turnId: 't', step: 0, type: 'text-delta' as const, i, text })),
  );
const sealedAs = (i: number, sha256: string, size: number): LogRecord => ({
  ...textChunk('s', i + 1, '', 't'),
  id: `t.0.m.${i}`,
  data: { blob: { sha256, size }, preview: '' },
});
const sizeOf = (text: string): number => Buffer.byteLength(JSON.stringify({ text }));

test('what is not all of it is not kept: cut, of another chunk, or sealed with its data', () => {
  const wholes = new Wholes();
  expect(wholes.take(said('abc'), [sealedAs(0, 'a', sizeOf('abcd'))])).toEqual([]);
  expect(wholes.take(said('abc'), [sealedAs(1, 'b', sizeOf('abc'))])).toEqual([]);
  expect(wholes.take(null, [sealedAs(0, 'c', sizeOf('abc'))])).toEqual([]);
  expect(wholes.take(said('abc'), [textChunk('s', 1)])).toEqual([]);
  expect(wholes.view.size).toBe(0);
});
test('eight at most, and eight million bytes: the oldest go, and one that is too large alone pushes none out', () => {
  const wholes = new Wholes();
  const names = Array.from({ length: 10 }, (_, n) => `w${n}`);
  wholes.take(
    said(...names),
    names.map((name, i) => sealedAs(i, name, sizeOf(name))),
  );
  expect([...wholes.view.keys()]).toEqual(names.slice(2));
  const huge = 'x'.repeat(9 * 1024 * 1024);
  wholes.take(said(huge), [sealedAs(0, 'huge', sizeOf(huge))]);
  expect([...wholes.view.keys()]).toEqual(names.slice(2));
  const big = 'x'.repeat(5 * 1024 * 1024);
  wholes.take(said(big), [sealedAs(0, 'big', sizeOf(big))]);
  wholes.take(said(`${big}y`), [sealedAs(0, 'bigger', sizeOf(big) + 1)]);
  expect(wholes.view.has('bigger')).toBe(true);
  expect(wholes.view.has('big')).toBe(false);
  wholes.clear();
  expect(wholes.view.size).toBe(0);
});
