/**
 * How a live text came to be what it is. Joining strings costs nothing until one of them is read: who shows a text that grows
 * asks here for what was added since it last looked, and need not read the whole at every delta.
 */
interface Stream {
  /** States before this one are forgotten. */
  from: number;
  /** What brought each state to the next. */
  pieces: string[];
}
const KEPT = 1000;
const places = new WeakMap<object, { readonly stream: Stream; readonly n: number }>();

/** `after` is `before` with `added` at the end of its text. */
export function noteGrowth<T extends object>(after: T, before: object, added: string): T {
  let place = places.get(before);
  // Two ways on from one state are two streams.
  if (place === undefined || place.n !== place.stream.from + place.stream.pieces.length) {
    place = { stream: { from: 0, pieces: [] }, n: 0 };
    places.set(before, place);
  }
  const { stream, n } = place;
  stream.pieces.push(added);
  if (stream.pieces.length > KEPT) {
    stream.pieces.splice(0, KEPT / 2);
    stream.from += KEPT / 2;
  }
  places.set(after, { stream, n: n + 1 });
  return after;
}

/** What was added from `before` to `after`; null: that is not known. */
export function growthSince(after: object, before: object): string | null {
  const now = places.get(after);
  const then = places.get(before);
  if (now === undefined || then === undefined || now.stream !== then.stream || then.n > now.n || then.n < now.stream.from) return null;
  return now.stream.pieces.slice(then.n - now.stream.from, now.n - now.stream.from).join('');
}
