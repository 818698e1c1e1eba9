/** Editing a pending input: its words, its delivery, its place. */
import type { InputState } from '#shared/protocol/summaries.ts';
import type { CancelDecision, EditDecision, EditFacts, Refusal } from '../store/decisions.ts';
import { canonicalJson } from './canonical.ts';

type Rank = EditFacts['queued'][number];

export function decideEdit({ edit, baseRev, input, queued, afterState, session }: EditFacts): EditDecision {
  if (input.state === 'promoted') return promoted();
  if (input.state === 'cancelled') return { kind: 'refuse', code: 'gone', message: 'this input was cancelled' };

  const delivery = edit.delivery ?? input.delivery;
  const converted = delivery !== input.delivery;
  const rewritten = edit.content !== undefined && canonicalJson(edit.content) !== canonicalJson(input.content);
  const place = placeOf(input.id, delivery, edit.after, converted, queued, afterState);
  if (place.kind === 'refuse') return place;
  // what is wanted already is no change: a retry, or two devices that want the same, are never stale
  if (!converted && !rewritten && place.ranks.length === 0) return { kind: 'same' };
  if (baseRev !== null && baseRev !== input.rev) {
    return { kind: 'refuse', code: 'stale-edit', message: 'the input was changed elsewhere in the meantime' };
  }
  const steers = converted && delivery === 'steer';
  return {
    kind: 'edit',
    content: rewritten && edit.content !== undefined ? edit.content : input.content,
    delivery,
    held: input.held && !steers,
    ranks: place.ranks,
    wake: steers && session.pausedSeq === null,
  };
}

/** The ranks that change when the input takes its place: none for a steer, whose order is its admission's. */
function placeOf(
  id: string,
  delivery: 'steer' | 'queue',
  after: string | null | undefined,
  converted: boolean,
  queued: readonly Rank[],
  afterState: InputState | null,
): Refusal | { kind: 'place'; ranks: Rank[] } {
  if (delivery === 'steer') {
    if (after !== undefined) return { kind: 'refuse', code: 'conflict', message: 'a steer cannot be moved' };
    return { kind: 'place', ranks: [] };
  }
  if (after === id) return { kind: 'refuse', code: 'bad-request', message: 'an input cannot go behind itself' };
  const others = queued.filter((one) => one.id !== id);
  // a steer that is queued goes last, unless it is given a place
  const last = (others.at(-1)?.rank ?? 0) + 1;
  if (after === undefined) return { kind: 'place', ranks: converted ? [{ id, rank: last }] : [] };

  let at = 0;
  if (after !== null) {
    at = others.findIndex((one) => one.id === after) + 1;
    // what has run already is ahead of everything that waits
    if (at === 0 && afterState !== 'promoted') {
      return { kind: 'refuse', code: 'stale-edit', message: 'the input to go behind is not in the queue' };
    }
  }
  const old = queued.find((one) => one.id === id) ?? { id, rank: last };
  const order = [...others.slice(0, at).map((one) => one.id), id, ...others.slice(at).map((one) => one.id)];
  // the same ranks, handed out anew: only those between the old place and the new one change
  const ranks = [...others, old].map((one) => one.rank).sort((a, b) => a - b);
  const before = new Map(queued.map((one) => [one.id, one.rank]));
  const next = order.map((one, index) => ({ id: one, rank: ranks[index]! }));
  return { kind: 'place', ranks: next.filter((one) => before.get(one.id) !== one.rank) };
}

/** `state` null: an id never seen, whose tombstone waits for it. Cancelled stays cancelled. */
export function decideCancel(state: InputState | null): CancelDecision {
  switch (state) {
    case null:
      return { kind: 'tombstone' };
    case 'pending':
      return { kind: 'cancel' };
    case 'cancelled':
      return { kind: 'same' };
    case 'promoted':
      return promoted();
  }
}

function promoted(): Refusal {
  return { kind: 'refuse', code: 'already-promoted', message: 'this input is in the transcript already' };
}
