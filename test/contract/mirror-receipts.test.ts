/** Receipts of two tabs of one device: what one has applied, the other's late word does not bring back. */
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { describe, expect, test } from 'vitest';
import { diskMirror } from '../../app/mirror/indexeddb.ts';
import { memoryMirror } from '../../app/mirror/memory.ts';
import { realTimers } from '../support/device/device.ts';
import { eventRecord, promptChunk, receiptOf, textChunk } from '../support/device/records.ts';
import { apply, S, startedOn } from './mirror-kit.ts';

const onDisk = () => diskMirror('mirror', { indexedDB: new IDBFactory(), IDBKeyRange, timers: realTimers });

describe.each([
  ['memory', memoryMirror],
  ['IndexedDB', onDisk],
] as const)('I34: in %s', (_name, open) => {
  test('what ran or was cancelled by what is applied here is not pending again, one by one or all at once; what waits still is', async () => {
    const mirror = await startedOn(open());
    await apply(mirror, [
      textChunk(S, 1),
      eventRecord(S, 2, 'admitted', { inputId: 'ran', delivery: 'steer' }),
      eventRecord(S, 3, 'admitted', { inputId: 'taken-back', delivery: 'queue' }),
      eventRecord(S, 4, 'admitted', { inputId: 'waits', delivery: 'queue' }),
      promptChunk(S, 5, 'ran'),
      eventRecord(S, 6, 'cancelled', { inputId: 'taken-back' }),
    ]);
    const late = [receiptOf(S, 'ran', { seq: 2 }), receiptOf(S, 'taken-back', { seq: 3 }), receiptOf(S, 'waits', { seq: 4 })];
    const guard = await mirror.guard(S);
    for (const receipt of late) await mirror.putInput(guard, receipt);
    expect((await mirror.projections(S)).inputs.map(({ id }) => id)).toEqual(['waits']);
    expect((await mirror.replaceInputs(guard, S, late, 6)).map(({ id }) => id)).toEqual(['waits']);
    // Told by the other tab since: a slower one's "all that waits" is of a moment before, and its words of an edit too.
    await mirror.putInput(guard, receiptOf(S, 'newer', { seq: 7 }));
    await mirror.putInput(guard, receiptOf(S, 'waits', { seq: 4, rev: 2 }));
    await mirror.replaceInputs(guard, S, [receiptOf(S, 'waits', { seq: 4 })], 6);
    expect((await mirror.projections(S)).inputs.map(({ id, rev }) => `${id} ${rev}`).toSorted()).toEqual(['newer 1', 'waits 2']);
    expect((await mirror.replaceInputs(guard, S, [receiptOf(S, 'waits', { seq: 4, rev: 2 })], 8)).map(({ id }) => id)).toEqual(['waits']);
    // What is known to wait stays without a look at the log, and leaves when it is said.
    await mirror.putInput(guard, receiptOf(S, 'waits', { seq: 4, state: 'cancelled' }));
    expect((await mirror.projections(S)).inputs).toEqual([]);
  });
});
