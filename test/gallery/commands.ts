/** Commands that only move the stores about, enough to look at what follows. */
import type { Commands } from '../../app/sync/commands.ts';
import { useLinkStore } from '../../app/stores/link.ts';
import { useTranscriptStore } from '../../app/stores/transcript.ts';
import { drive } from './drive.ts';
import { NOW } from './sessions.ts';
import type { GalleryState } from './states.ts';

const done = async (): Promise<void> => undefined;
const newId = (): string => crypto.randomUUID();

export function commandsOf(state: GalleryState): Commands {
  const offline = { ok: false, reason: 'offline', message: 'The server does not answer.' } as const;
  return {
    newId,
    createSession: async () => newId(),
    forkSession: done,
    turnEnd: async (_sessionId, seq) => seq,
    patchSession: done,
    deleteSession: done,
    send: async () => newId(),
    editInput: done,
    convertInput: done,
    moveInput: done,
    chooseEdit: done,
    cancelInput: done,
    undoCancel: done,
    dismissNote: done,
    resendInput: done,
    discardInput: done,
    stop: done,
    resume: done,
    decide: done,
    open: async (sessionId) => {
      useTranscriptStore().sessionId = sessionId;
      state.open?.(sessionId);
    },
    showAt: async () => true,
    chunkLimit: () => 256,
    setChunkLimit: done,
    pauseCopying: done,
    loadOlder: () => drive.load('older'),
    loadNewer: () => drive.load('newer'),
    atTail: () => undefined,
    toTail: done,
    draft: async () => state.draft ?? '',
    saveDraft: () => undefined,
    folders: async (path) => {
      const isOffline = useLinkStore().link.kind === 'offline';
      if (isOffline && state.remembersFolders !== true) return offline;
      const names = path === null ? ['code', 'notes'] : ['ferry-times', 'harbour', 'site', 'tide-tables'];
      const base = path ?? '/home/ada';
      return {
        ok: true,
        value: {
          path,
          parent: path === null ? null : '/home/ada',
          folders: names.map((name) => ({ name, path: `${base}/${name}` })),
          ...(isOffline ? { remembered: true } : {}),
          recent: state.firstTime === true ? [] : ['/home/ada/code/harbour', '/home/ada/code/ferry-times'],
        },
      };
    },
    models: async () => {
      if (useLinkStore().link.kind === 'offline') return offline;
      return {
        ok: true,
        value: [
          { id: 'large', name: 'Large model', efforts: ['low', 'medium', 'high'] },
          { id: 'small', name: 'Small model', efforts: [] },
        ],
      };
    },
    serverSettings: async () => {
      if (useLinkStore().link.kind === 'offline') return offline;
      return { ok: true, value: { model: null, mode: 'ask', stepLimit: 100, keepAwake: true } };
    },
    changeServerSettings: async (patch) => ({
      ok: true,
      value: { model: null, mode: 'ask', stepLimit: patch.stepLimit ?? 100, keepAwake: patch.keepAwake ?? true },
    }),
    turns: async () => ({ ok: true, value: state.turns ?? { turns: [], earlier: false, missing: false } }),
    devices: async () => {
      if (useLinkStore().link.kind === 'offline') return offline;
      const device = (id: string, name: string, days: number, current = false) => {
        const at = NOW - days * 86_400_000;
        return { id, name, createdAt: at - 9 * 86_400_000, seenAt: at, current };
      };
      return {
        ok: true,
        value: [device('a', 'Firefox on Linux', 0, true), device('b', 'Safari on iPhone', 0.02), device('c', 'Chrome on Windows', 43)],
      };
    },
    revokeDevice: async () => ({ ok: true, value: null }),
    blob: async () => offline,
    signIn: async () => ({ ok: false, reason: 'refused', message: 'This token is not the server’s. Look at what it printed last.' }),
    signOut: done,
    hintsAway: async () => [],
    putHintAway: done,
    watchDraft: () => () => undefined,
    retryLink: () => undefined,
  };
}
