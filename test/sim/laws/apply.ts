/** Law 5, on a device: what a tab applies goes on from what its mirror holds, and leaves no hole before it. */
import type { Mirror } from '../../../app/mirror/port.ts';
import type { SimTab } from '../tab.ts';

/** `mirror` as it is, watched. */
export function watchedApply(tab: SimTab, mirror: Mirror): Mirror {
  /** By session: the last record that was applied here. What goes on from there needs no look. */
  const last = new Map<string, number>();
  return {
    ...mirror,
    async apply(guard, change) {
      const applied = await mirror.apply(guard, change);
      const first = change.kind === 'records' ? change.records[0] : undefined;
      if (!applied.ok || first === undefined || change.kind !== 'records') return applied;
      const before = first.seq - 1;
      const { sessionId } = change;
      if (before > 0 && last.get(sessionId) !== before) {
        const at = tab.mirrorLost ? mirror : tab.place.disk.mirror;
        const [{ cursor }, { records }] = await Promise.all([at.projections(sessionId), at.readBefore(sessionId, first.seq, 1)]);
        // Where the log was dropped meanwhile there is nothing to look at.
        if (cursor.seq >= first.seq && records.at(-1)?.seq !== before)
          tab.world.fault('law-05', `${tab.name} has applied ${first.seq} of ${sessionId}, and does not hold ${before}`);
      }
      last.set(sessionId, change.records.at(-1)!.seq);
      return applied;
    },
  };
}
