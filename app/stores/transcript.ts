/**
 * The open session: the bounded window of its log, the live fold, receipts and approvals. Bubbles are `group()` of this at
 * render time; no message is stored. Sealed chunks are frozen, never made reactive, and a delta costs nothing for each of them.
 */
import { defineStore } from 'pinia';
import { computed, ref, shallowRef } from 'vue';
import type { Group } from '#shared/chunks/group.ts';
import { joinLive, sealedGroups, type SealedGroups } from '#shared/chunks/join.ts';
import { viewOf, type ViewChunk } from '#shared/chunks/view.ts';
import type { LiveFold } from '#shared/chunks/fold.ts';
import type { ChunkRecord } from '#shared/protocol/records.ts';
import type { Approval } from '#shared/protocol/summaries.ts';
import type { Decision, Hole, ReceiptView, Target } from '../sync/views.ts';

export const useTranscriptStore = defineStore('transcript', () => {
  const sessionId = ref<string | null>(null);
  /** Sealed, oldest to newest, at most `chunkLimit`. */
  const chunks = shallowRef<readonly ChunkRecord[]>([]);
  const live = shallowRef<LiveFold | null>(null);
  /** The turn in flight as the server last said. */
  const turnId = ref<string | null>(null);
  const oldestLoadedSeq = ref<number | null>(null);
  const newestLoadedSeq = ref<number | null>(null);
  const total = ref(0);
  /** The window's first chunk is the log's true first. */
  const atStart = ref(false);
  /** The window's last chunk is the newest that this device knows of. */
  const atEnd = ref(true);
  /** What lies above the window and is missing here; null: it can be paged, or there is nothing. */
  const hole = shallowRef<Hole | null>(null);
  /** Likewise below the window. */
  const holeBelow = shallowRef<Hole | null>(null);
  /** The chunk that the reader asked to see. */
  const target = shallowRef<Target | null>(null);
  /** Data of chunks kept by reference that is here whole, by hash. */
  const wholes = shallowRef<ReadonlyMap<string, unknown>>(new Map());
  const loadingOlder = ref(false);
  const loadingNewer = ref(false);
  /** First paint of this session's window is done: an empty one is truly empty. */
  const loaded = ref(false);
  /** Not in the transcript yet, in the order they will run or were written. */
  const receipts = shallowRef<readonly ReceiptView[]>([]);
  const approvals = shallowRef<readonly Approval[]>([]);
  /** Answers given here that the server has not heard of. */
  const decisions = shallowRef<ReadonlyMap<string, Decision>>(new Map());

  const sealed = computed<SealedGroups>((before) => sealedGroups(chunks.value, before ?? null));
  const sealedIds = computed(() => new Set(chunks.value.map((chunk) => chunk.id)));
  const liveView = computed<readonly ViewChunk[]>(() => (atEnd.value ? viewOf(live.value, (id) => sealedIds.value.has(id)) : []));
  const groups = computed<readonly Group[]>((before) => joinLive(sealed.value, liveView.value, before ?? []));
  function groupOf(key: string): Group | undefined {
    const found = groups.value[sealed.value.at.get(key) ?? sealed.value.groups.length];
    return found?.key === key ? found : undefined;
  }
  const sealedTurnId = computed(() => chunks.value.findLast((chunk) => chunk.turnId !== null)?.turnId ?? null);
  /** The turn of the newest chunk. */
  const lastTurnId = computed(() => liveView.value.at(-1)?.turnId ?? sealedTurnId.value);

  return {
    sessionId,
    chunks,
    live,
    turnId,
    oldestLoadedSeq,
    newestLoadedSeq,
    total,
    atStart,
    atEnd,
    hole,
    holeBelow,
    target,
    wholes,
    loadingOlder,
    loadingNewer,
    loaded,
    receipts,
    approvals,
    decisions,
    groups,
    groupOf,
    lastTurnId,
  };
});
