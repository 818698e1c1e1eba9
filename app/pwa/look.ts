/** When the page looks for a new version of the worker. */

/** At most one look a minute (R2): a home-screen app that is only brought to the front would never look by itself. */
const LOOK_AGAIN_MS = 60_000;

/** Whether a look is due at `now`, the last one having been at `last`. */
export function lookIsDue(last: number, now: number): boolean {
  return now - last >= LOOK_AGAIN_MS || now < last;
}
