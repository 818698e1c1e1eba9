/** Turns under the day they were asked on. Pure. */
import type { TurnMark } from '#shared/protocol/summaries.ts';
import { daysAgo, sinceWords } from '../../composables/time-words.ts';

export interface TurnDay {
  readonly key: string;
  readonly name: string;
  readonly turns: readonly TurnMark[];
}

/** Days in the order of `turns`; a clock that went back makes a second group of a day rather than a wrong order. */
export function turnDays(turns: readonly TurnMark[], now: number | null): TurnDay[] {
  const days: { key: string; name: string; turns: TurnMark[] }[] = [];
  for (const turn of turns) {
    const ago = now === null ? null : daysAgo(turn.createdAt, now);
    const name = nameOf(turn.createdAt, ago, now);
    const last = days.at(-1);
    if (last !== undefined && last.name === name) last.turns.push(turn);
    else days.push({ key: String(turn.seq), name, turns: [turn] });
  }
  return days.map(({ key, name, turns: own }) => ({ key, name, turns: own }));
}

function nameOf(at: number, ago: number | null, now: number | null): string {
  if (ago === 0) return 'Today';
  if (ago === 1) return 'Yesterday';
  // Within the week `sinceWords` adds the clock, which each turn has beside it.
  return sinceWords(at, now).replace(/ \d\d:\d\d$/, '');
}
