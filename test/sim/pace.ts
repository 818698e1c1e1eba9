/** How long a history is, and how close upon each other its actions come. */
import type { Chance } from './chance.ts';

const GAPS = {
  long: { none: 2, moment: 10, second: 8, while: 4, minute: 1 },
  short: { none: 3, moment: 12, second: 6, while: 2, minute: 0.5 },
};
/** Time until the next action: mostly moments, so that things meet; now and then long enough for timers. */
export function gap(chance: Chance, short: boolean): number {
  switch (chance.weighted(short ? GAPS.short : GAPS.long)) {
    case 'none':
      return 0;
    case 'moment':
      return chance.whole(1, 120);
    case 'second':
      return chance.whole(100, 2_000);
    case 'while':
      return chance.whole(2_000, 12_000);
    case 'minute':
      return chance.whole(20_000, 90_000);
  }
}
