/** Moving a queued prompt: places in a list → the `after` that the contract speaks of. */

/** What `from` must be put behind to stand at place `to`: null for the first place; undefined when nothing moves. */
export function moveAfter(ids: readonly string[], from: number, to: number): string | null | undefined {
  if (from === to || to < 0 || to >= ids.length || ids[from] === undefined) return undefined;
  const rest = ids.filter((_, at) => at !== from);
  return to === 0 ? null : rest[to - 1];
}
