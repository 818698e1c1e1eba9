/** A flush that has lost its lock marks nothing any more: what was asked for under a fence that was drawn before another's is void. */
import type { Own } from '../../../app/own/port.ts';

/** Of one device's disk: the newest fence that anybody drew. */
export interface Fences {
  newest: number;
}

/** `own` as it is, watched. */
export function fenced(own: Own, fences: Fences, fault: (words: string) => void): Own {
  return {
    ...own,
    async claim() {
      const fence = await own.claim();
      fences.newest = Math.max(fences.newest, fence);
      return fence;
    },
    async change(id, patch, only) {
      const drawn = fences.newest;
      const done = await own.change(id, patch, only);
      if (done && only?.fence !== undefined && only.fence < drawn)
        fault(`row ${id} was marked ${patch.state ?? ''} under fence ${only.fence}, after ${drawn} was drawn`);
      return done;
    },
    async wipe() {
      await own.wipe();
      fences.newest = 0;
    },
  };
}
