/** What the rows of a transcript share: look-ups by key, what is open, what was witnessed here, what was fetched whole. */
import { computed, inject, provide, watch, type ComputedRef, type InjectionKey, type Ref } from 'vue';
import type { Group } from '#shared/chunks/group.ts';
import type { Approval, SessionSummary } from '#shared/protocol/summaries.ts';
import { useLinkStore } from '../stores/link.ts';
import { useSessionsStore } from '../stores/sessions.ts';
import { useTranscriptStore } from '../stores/transcript.ts';
import type { Decision, ReceiptView } from '../sync/views.ts';
import { few, type Few } from './few.ts';
import { useServerNow } from './now.ts';
import { useWhole, type Whole } from './whole-data.ts';
import { useWitness, type Witness } from './witness.ts';

export interface Decided extends Decision {
  readonly approval: Approval;
}

export interface TranscriptContext {
  group(key: string): Group | undefined;
  receipt(id: string): ReceiptView | undefined;
  /** The newest approval that is asked for this call. */
  approval(callId: string | null): Approval | null;
  /** What was answered from here for this call, once the server has decided. */
  decided(callId: string | null): Decided | null;
  readonly summary: ComputedRef<SessionSummary | null>;
  /** The server's word of now, over a live link: what runs, runs. */
  readonly fresh: ComputedRef<boolean>;
  /** The turn that runs now; null: none, or it is not known. */
  readonly turnId: ComputedRef<string | null>;
  /** The turn of the newest chunk. */
  readonly lastTurnId: ComputedRef<string | null>;
  /** The server's, for words that age; moves twice a minute. Null: not known. */
  readonly now: Readonly<Ref<number | null>>;
  /** Cards the reader opened or closed, by id. */
  readonly opened: Map<string, boolean>;
  /** Answers given here, until the server's word on them comes. */
  readonly decisions: Few<string, Decision>;
  /** Approvals whose sheet was put away, to be read in the transcript (true), or asked for again (false). */
  readonly setAside: Few<string, boolean>;
  readonly whole: Whole;
  readonly witness: Witness;
}

const KEY: InjectionKey<TranscriptContext> = Symbol('transcript');

export function useTranscript(): TranscriptContext {
  const context = inject(KEY);
  if (context === undefined) throw new Error('the transcript is provided by Transcript.vue');
  return context;
}

export function provideTranscript(): TranscriptContext {
  const store = useTranscriptStore();
  const sessions = useSessionsStore();
  const link = useLinkStore();
  const receipts = computed(() => new Map(store.receipts.map((receipt) => [receipt.id, receipt])));
  const approvals = computed(() => new Map(store.approvals.map((approval) => [approval.callId, approval])));
  const row = computed(() => (store.sessionId === null ? null : sessions.byId(store.sessionId)));
  const fresh = computed(() => link.link.kind === 'live' && row.value?.fresh === true);
  const decisions = few<string, Decision>();

  // What was answered before a reload, or in another window of this device, waits there just the same.
  watch(
    () => store.decisions,
    (given) => {
      for (const [id, decision] of given) if (!decisions.has(id)) decisions.set(id, decision);
    },
    { immediate: true },
  );

  const decided = few<string, Decided>();
  // What the server has decided needs no answer from here any more.
  watch(
    () => store.approvals,
    (now, before) => {
      const open = new Set(now.filter((approval) => approval.state === 'open').map((approval) => approval.id));
      for (const id of decisions.keys()) {
        const given = decisions.get(id);
        if (given === undefined || open.has(id)) continue;
        const approval = before.find((asked) => asked.id === id);
        if (approval !== undefined) decided.set(approval.callId, { ...given, approval });
        decisions.delete(id);
      }
    },
  );

  const context: TranscriptContext = {
    group: (key) => store.groupOf(key),
    receipt: (id) => receipts.value.get(id),
    approval: (callId) => (callId === null ? null : (approvals.value.get(callId) ?? null)),
    decided: (callId) => (callId === null ? null : (decided.get(callId) ?? null)),
    summary: computed(() => (row.value === null || row.value.gone ? null : row.value.summary)),
    fresh,
    turnId: computed(() => (fresh.value ? store.turnId : null)),
    lastTurnId: computed(() => store.lastTurnId),
    now: useServerNow(30_000),
    opened: new Map(),
    decisions,
    setAside: few<string, boolean>(),
    whole: useWhole(),
    witness: useWitness(),
  };
  provide(KEY, context);
  return context;
}
