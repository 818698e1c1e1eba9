/**
 * Grouping while an answer streams: the groups of the sealed chunks are made once for each window, and what is live joins one of
 * them, since a fold is of one step. So a delta costs what is live, however large the window is. The groups are those of `group`.
 */
import { group, groupKeyOf, type Group } from './group.ts';
import type { ViewChunk } from './view.ts';

export interface SealedGroups {
  readonly groups: readonly Group[];
  /** Where each is, by key. */
  readonly at: ReadonlyMap<string, number>;
}

/** Groups of sealed chunks. `previous`: the last answer, for groups that are the same. */
export function sealedGroups(chunks: readonly ViewChunk[], previous: SealedGroups | null): SealedGroups {
  const groups = group(chunks, previous?.groups);
  return { groups, at: new Map(groups.map(({ key }, at) => [key, at])) };
}

/** `group` of the sealed chunks and of `live`, which are chunks of one step. `previous`: the last answer. */
export function joinLive(sealed: SealedGroups, live: readonly ViewChunk[], previous: readonly Group[]): readonly Group[] {
  const first = live[0];
  if (first === undefined) return sealed.groups;
  const key = groupKeyOf(first);
  const at = sealed.at.get(key) ?? sealed.groups.length;
  const held = sealed.groups[at];
  const before = previous.findLast((entry) => entry.key === key);
  const joined = group(held === undefined ? live : [...chunksOf(held), ...live], before === undefined ? [] : [before]);
  return [...sealed.groups.slice(0, at), ...joined, ...sealed.groups.slice(at + 1)];
}

/** In the order of the log. */
function chunksOf({ items }: Group): ViewChunk[] {
  const chunks = items.flatMap(({ chunk, result }) => (result === null ? [chunk] : [chunk, result]));
  return chunks.sort((a, b) => (a.seq ?? 0) - (b.seq ?? 0));
}
