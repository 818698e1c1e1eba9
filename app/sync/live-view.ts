/** What of the live part is in reactive state: all that is open, and of the completed chunks as many as there is room for (law 9). Pure. */
import type { LiveFold } from '#shared/chunks/fold.ts';

/** Completed live chunks: they count towards the limit. */
export function completedIn(live: LiveFold | null): number {
  return live === null ? 0 : live.chunks.reduce((sum, { open }) => sum + (open ? 0 : 1), 0);
}

/** Held as its fold only: its step, retry and status, and no chunk. */
export function bare(live: LiveFold): LiveFold {
  return live.chunks.length === 0 ? live : { ...live, chunks: [] };
}

/** At the tail: whatever is open, and the newest `room` completed ones. The others come back at the seal. */
export function newestLive(live: LiveFold, room: number): LiveFold {
  let over = completedIn(live) - room;
  if (over <= 0) return live;
  return { ...live, chunks: live.chunks.filter((chunk) => chunk.open || over-- <= 0) };
}

/**
 * For a reader who has scrolled up: what was `shown` stays, open or not, and more only while there is room; so nothing on the
 * screen gives way, and what completes later has its place already.
 */
export function steadyLive(live: LiveFold, shown: LiveFold | null, room: number): LiveFold {
  if (live.chunks.length <= room) return live;
  const before = new Set(shown?.chunks.map(({ id }) => id));
  let stays = live.chunks.reduce((sum, { id }) => sum + (before.has(id) ? 1 : 0), 0);
  let left = Math.max(0, room - stays);
  // More than there is room for, as after the limit was lowered: the oldest of them go.
  return {
    ...live,
    chunks: live.chunks.filter(({ id }) => (before.has(id) ? stays-- <= room : left-- > 0)),
  };
}
