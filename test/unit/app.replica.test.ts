/** Frames that arrive faster than they are written. */
import { expect, test } from 'vitest';
import { memoryMirror } from '../../app/mirror/memory.ts';
import type { Mirror } from '../../app/mirror/port.ts';
import { played, SESSION } from '../support/device/played.ts';

/** A mirror, and the seqs of each write of records, as `first..last`. */
function noted(): { mirror: Mirror; writes: string[] } {
  const mirror = memoryMirror();
  const writes: string[] = [];
  const apply: Mirror['apply'] = (guard, change) => {
    if (change.kind === 'records') writes.push(`${change.records[0]!.seq}..${change.records.at(-1)!.seq}`);
    return mirror.apply(guard, change);
  };
  return { mirror: { ...mirror, apply }, writes };
}

test('records that come while others are written are written together; what stands between two frames keeps them apart', async () => {
  const { mirror, writes } = noted();
  const at = played({ mirror });
  at.note('first');
  await at.mirrored();
  at.connect();
  await at.settle();
  for (let n = 0; n < 6; n++) at.note(`n${n}`);
  at.deliver();
  await at.idle();
  expect(writes).toEqual(['2..2', '3..7']);

  writes.length = 0;
  for (let n = 6; n < 9; n++) at.note(`n${n}`);
  at.pipe.splice(2, 0, { type: 'gap', sessionId: SESSION, head: at.head });
  at.deliver();
  await at.settle();
  expect(writes.slice(0, 2)).toEqual(['8..8', '9..9']);
  expect((await mirror.projections(SESSION)).cursor.seq).toBe(at.head);
});
