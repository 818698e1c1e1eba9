/** Cairn in Firefox. */
import { describe, expect, it } from 'vitest';
import { firefox } from './harness/firefox.ts';
import { lookAround } from './harness/look-around.ts';
import { PROMPTS, roundTrip } from './harness/round-trip.ts';
import { withStand } from './harness/stand.ts';

describe('in Firefox', () => {
  it('without the server: history, two held prompts over a closed browser, each run once', async () => {
    const trip = await withStand('firefox', firefox, roundTrip);
    expect(trip.ran).toEqual(PROMPTS);
    expect(trip.complaints, 'what the engine complained of').toEqual([]);
  });

  it("what it lacks is what the README's table says, and no page of the app stumbles over it", async () => {
    const { lacks, complaints } = await withStand('firefox-pages', firefox, lookAround);
    expect(complaints, 'what the engine complained of').toEqual([]);
    expect(lacks).toEqual(['backgroundSync', 'installPrompt', 'pageLifecycle']);
  });
});
