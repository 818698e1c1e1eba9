/** An empty list on this device, and whether that means no session at all: what the server was not asked yet nobody claims (law 16). */
import { computed, type ComputedRef } from 'vue';
import { useLinkStore } from '../stores/link.ts';
import { useSessionsStore } from '../stores/sessions.ts';
import type { LinkKind } from '../sync/views.ts';

/** `was`: the answer before, which a link that is looked for again does not change. */
export function isKnownEmpty(was: boolean, list: { loaded: boolean; count: number }, link: LinkKind): boolean {
  if (!list.loaded || list.count > 0) return false;
  return was || (link !== 'connecting' && link !== 'catching-up');
}

export function useKnownEmpty(): ComputedRef<boolean> {
  const sessions = useSessionsStore();
  const link = useLinkStore();
  return computed<boolean>((was) => isKnownEmpty(was ?? false, { loaded: sessions.loaded, count: sessions.list.length }, link.link.kind));
}
