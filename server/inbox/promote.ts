/** Promoting: which pending inputs become prompts at a safe boundary, or open the next turn. */
import type { Promotion, PromotionFacts, Waiting } from '../store/decisions.ts';

const NOTHING: Promotion = { inputs: [], goesOn: false };

/**
 * Every steer in admission order. Only when none waits, and only to open a turn, the one queued input of lowest rank. With
 * nothing pending, an armed session goes on with its failed or cut turn. A paused session promotes nothing.
 */
export function choosePromotions({ at, paused, armed, waiting }: PromotionFacts): Promotion {
  if (paused) return NOTHING;
  const steers = waiting.filter((one) => one.delivery === 'steer').sort((a, b) => a.seq - b.seq);
  if (at === 'boundary') return { inputs: steers.map((one) => one.id), goesOn: false };
  if (waiting.length === 0) return { inputs: [], goesOn: armed };
  // held inputs open no turn, but run in their order with whatever does
  if (!armed && waiting.every((one) => one.held)) return NOTHING;
  if (steers.length > 0) return { inputs: steers.map((one) => one.id), goesOn: false };
  const first = waiting.reduce((lowest: Waiting, one) => (one.rank < lowest.rank ? one : lowest));
  return { inputs: [first.id], goesOn: false };
}
