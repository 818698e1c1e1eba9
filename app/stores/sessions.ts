/** The session list. */
import { defineStore } from 'pinia';
import { computed, shallowRef } from 'vue';
import type { SessionRow } from '../sync/views.ts';

export const useSessionsStore = defineStore('sessions', () => {
  const rows = shallowRef<ReadonlyMap<string, SessionRow>>(new Map());
  /** The mirror was read: an empty list is truly empty, not merely unread. */
  const loaded = shallowRef(false);
  /** Pinned first, then newest first; archived ones are left to the view. */
  const list = computed(() =>
    [...rows.value.values()].sort(
      (a, b) => Number(b.summary.pinned) - Number(a.summary.pinned) || b.summary.updatedAt - a.summary.updatedAt,
    ),
  );
  function byId(id: string): SessionRow | null {
    return rows.value.get(id) ?? null;
  }
  function put(changed: readonly SessionRow[], removed: readonly string[] = []): void {
    const next = new Map(rows.value);
    for (const row of changed) next.set(row.summary.id, row);
    for (const id of removed) next.delete(id);
    rows.value = next;
  }
  function clear(): void {
    rows.value = new Map();
  }
  return { rows, loaded, list, byId, put, clear };
});
