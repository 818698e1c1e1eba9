/** The stores, as sync writes them: the one place where what the engine says becomes reactive state. */
import type { Pinia } from 'pinia';
import { markRaw } from 'vue';
import { CLOSED, type Screen, type TranscriptView } from '../sync/ports.ts';
import { NOTICES } from '../sync/notices.ts';
import { useLinkStore } from './link.ts';
import { useSessionsStore } from './sessions.ts';
import { useTranscriptStore } from './transcript.ts';

export function screenOf(pinia: Pinia): Screen {
  const link = useLinkStore(pinia);
  const sessions = useSessionsStore(pinia);
  const transcript = useTranscriptStore(pinia);
  const show = (change: Partial<TranscriptView>): void => {
    for (const key of Object.keys(change) as (keyof TranscriptView)[]) put(key, change);
  };
  /** Same value: nothing is told to anybody. */
  function put<K extends keyof TranscriptView>(key: K, change: Partial<TranscriptView>): void {
    const store: TranscriptView = transcript;
    if (store[key] !== change[key]) store[key] = raw(change[key] as TranscriptView[K]);
  }
  return {
    link: (view) => link.setLink(view),
    memoryOnly: (only) => {
      link.memoryOnly = only;
      if (!only) return;
      // Its banner says all that these said of one half.
      link.dismiss(NOTICES.mirrorLost(false).id);
      link.dismiss(NOTICES.ownLost().id);
    },
    notice: (notice) => link.tell(notice),
    model: (model) => {
      link.model = model;
    },
    copying: (view) => {
      link.copying = view;
    },
    sessions: (changed, removed) => sessions.put(changed, removed),
    sessionsLoaded: () => {
      sessions.loaded = true;
    },
    transcript: show,
    clear: () => {
      sessions.clear();
      show(CLOSED);
    },
  };
}

/** A plugin or a tool that watches the stores in depth would walk the whole window at each delta: what is raw, Vue never walks. */
function raw<T>(value: T): T {
  return typeof value === 'object' && value !== null ? markRaw(value) : value;
}
