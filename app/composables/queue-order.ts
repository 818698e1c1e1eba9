/** Moving a queued prompt: places in a list → the `after` that the contract speaks of. */

/** What is needed to know of a row: only what has a place in the server's queue can be put behind. */
export interface Placeable {
  readonly id: string;
  readonly place: number | null;
}

/** What `from` must be put behind to stand at place `to`: null for the first place; undefined when nothing moves. */
export function moveAfter(rows: readonly Placeable[], from: number, to: number): string | null | undefined {
  if (from === to || to < 0 || to >= rows.length || rows[from] === undefined) return undefined;
  const rest = rows.filter((_, at) => at !== from);
  return rest.slice(0, to).findLast(({ place }) => place !== null)?.id ?? null;
}
