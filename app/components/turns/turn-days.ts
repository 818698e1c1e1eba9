/** Turns under the day they were asked on. Pure. */
import type { TurnMark } from '#shared/protocol/summaries.ts';
import { daysAgo, sinceWords } from '../../composables/time-words.ts';

export interface TurnDay {
  readonly key: string;
  readonly name: string;
  readonly turns: readonly TurnMark[];
}

/** Days in the order of `turns`; a clock that went back makes a second group of a day rather than a wrong order. */
export function turnDays(turns: readonly TurnMark[], now: number): TurnDay[] {
  const days: { key: string; name: string; turns: TurnMark[]; ago: number }[] = [];
  for (const turn of turns) {
    const ago = daysAgo(turn.createdAt, now);
    const last = days.at(-1);
    if (last !== undefined && last.ago === ago) last.turns.push(turn);
    else days.push({ key: String(turn.seq), name: nameOf(turn.createdAt, ago, now), turns: [turn], ago });
  }
  return days.map(({ key, name, turns: own }) => ({ key, name, turns: own }));
}

function nameOf(at: number, ago: number, now: number): string {
  if (ago === 0) return 'Today';
  if (ago === 1) return 'Yesterday';
  // Within the week `sinceWords` adds the clock, which each turn has beside it.
  return sinceWords(at, now).replace(/ \d\d:\d\d$/, '');
}
