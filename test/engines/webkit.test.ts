/** Cairn in WebKit. */
import { describe, expect, it } from 'vitest';
import { lookAround } from './harness/look-around.ts';
import { PROMPTS, roundTrip } from './harness/round-trip.ts';
import { withStand } from './harness/stand.ts';
import { webkitOnDisk } from './harness/webkit-on-disk.ts';
import { webkit } from './harness/webkit.ts';

describe('in WebKit', () => {
  it('without the server: history, two held prompts, each run once', async () => {
    const trip = await withStand('webkit', webkit, roundTrip);
    expect(trip.ran).toEqual(PROMPTS);
    expect(trip.complaints, 'what the engine complained of').toEqual([]);
  });

  it('the same over a closed browser, with its storage on the disk', async () => {
    const trip = await withStand('webkit-on-disk', webkitOnDisk, roundTrip);
    expect(trip.ran).toEqual(PROMPTS);
    expect(trip.complaints, 'what the engine complained of').toEqual([]);
  });

  it("what it lacks is what the README's table says, and no page of the app stumbles over it", async () => {
    const { lacks, complaints } = await withStand('webkit-pages', webkitOnDisk, lookAround);
    expect(complaints, 'what the engine complained of').toEqual([]);
    expect(lacks).toEqual([
      'backgroundSync',
      'push',
      'storagePersist',
      'storageEstimate',
      'idleCallback',
      'scrollEnd',
      'fieldSizing',
      'installPrompt',
      'pageLifecycle',
    ]);
  });
});
