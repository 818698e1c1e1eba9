/** Every state of the shell that is worth a look, by name. What fills the transcript is in states of its own. */
import type { Surroundings } from '../../app/composables/surroundings.ts';
import { useLinkStore } from '../../app/stores/link.ts';
import { useSessionsStore } from '../../app/stores/sessions.ts';
import { useTranscriptStore } from '../../app/stores/transcript.ts';
import type { TurnPage } from '../../app/sync/commands.ts';
import { NOTICES } from '../../app/sync/notices.ts';
import { FIRST_VIEW } from '../../app/sync/link-view.ts';
import type { CopyingView, LinkView, ReceiptView, SessionRow, Stage } from '../../app/sync/views.ts';
import { receiptView } from '../support/receipt-view.ts';
import { FORK_STATES } from './fork-states.ts';
import { LARGE_STATES } from './large-states.ts';
import { OFFLINE_STATES } from './offline-states.ts';
import { idOf, NOW, sampleRows } from './sessions.ts';
import { TRANSCRIPT_STATES } from './transcript-states.ts';

export interface GalleryState {
  /** Where to open it. */
  path: string;
  fill(): void;
  open?(sessionId: string | null): void;
  draft?: string;
  turns?: TurnPage;
  /** Another browser than the usual one. */
  surroundings?: Partial<Surroundings>;
  /** A server where no session has been. */
  firstTime?: boolean;
  /** Folders were looked at before the link went. */
  remembersFolders?: boolean;
  /** What to press before looking: accessible names of buttons, in order. */
  press?: readonly string[];
}

export function link(kind: LinkView['kind'], more: Partial<LinkView> = {}): void {
  useLinkStore().setLink({ ...FIRST_VIEW, kind, since: NOW - 38 * 60_000, skew: 0, prompts: more.held ?? 0, ...more });
}
function shell(rows: readonly SessionRow[] = sampleRows(), demo = false): void {
  const sessions = useSessionsStore();
  sessions.put(rows);
  sessions.loaded = true;
  useLinkStore().model = { label: demo ? 'Demo model' : 'Anthropic', demo, name: demo ? 'Demo model' : 'claude-sonnet' };
  link('live');
}
function receipt(n: number, stage: Stage, text: string, more: Partial<ReceiptView> = {}): ReceiptView {
  return receiptView(idOf(500 + n), stage, text, { sessionId: idOf(1), place: n, of: 2, composedAt: NOW, ...more });
}
const queued = (): ReceiptView[] => [
  receipt(1, 'queued', 'Then add a test with the March export'),
  receipt(2, 'queued', 'Write a line in CHANGELOG.md'),
];
function receipts(list: readonly ReceiptView[]): void {
  const transcript = useTranscriptStore();
  transcript.loaded = true;
  transcript.atStart = true;
  transcript.turnId = 't1';
  transcript.receipts = list;
}
/** Four days of turns, the newest last. `missing`: older ones are not on this device. */
function turns(missing: boolean): TurnPage {
  const words = [
    'When a file has no newline at the end, the importer loses its last row. Find out why and fix it.',
    'Add the March export as a fixture',
    'Now write the change down for the harbour office, in plain words, with the dates, and say which of the exports were wrong since the spring.',
    'Run the tests',
    '',
  ];
  const marks = Array.from({ length: 14 }, (_, at) => ({
    turnId: idOf(700 + at),
    seq: 40 * at + 2,
    createdAt: NOW - (13 - at) * 7 * 3_600_000,
    words: words[at % words.length]!,
  }));
  return { turns: marks, earlier: missing, missing };
}
function copying(state: CopyingView['state']): void {
  shell();
  useLinkStore().copying = { sessionId: idOf(1), title: 'Rename dock to berth', done: 9200, of: 12406, state };
}
const live = `/s/${idOf(1)}`;
const stale = (): SessionRow[] => sampleRows().map((row) => ({ ...row, fresh: false }));

export const STATES: Record<string, GalleryState> = {
  ...TRANSCRIPT_STATES,
  ...LARGE_STATES,
  ...FORK_STATES,
  ...OFFLINE_STATES,
  list: { path: '/', fill: () => shell() },
  'list-loading': { path: '/', fill: () => link('connecting') },
  'list-connecting': {
    path: '/',
    fill: () => {
      shell(stale());
      link('connecting', { tries: 3 });
    },
  },
  'list-offline': {
    path: '/',
    fill: () => {
      shell(stale());
      link('offline', { held: 2 });
    },
  },
  'list-catching-up': {
    path: '/',
    fill: () => {
      shell();
      link('catching-up', { left: 1240 });
    },
  },
  'list-notices': {
    path: live,
    fill: () => {
      shell(sampleRows(), true);
      const store = useLinkStore();
      store.memoryOnly = true;
      store.updateReady = true;
      store.tell({
        id: 'full',
        tone: 'attn',
        strong: 'This device is full.',
        text: 'Reading goes on from the server. Held prompts and drafts are safe.',
      });
      store.tell({
        id: 'restored',
        tone: 'plain',
        strong: 'The server was restored.',
        text: 'This history was loaded again. Held prompts stayed.',
      });
      store.tell({
        id: 'revoked',
        tone: 'bad',
        strong: 'This device was signed out elsewhere.',
        text: 'Its copy is gone; 1 unsent prompt is kept.',
      });
    },
  },
  running: { path: live, fill: () => shell(), open: () => receipts(queued()), draft: '' },
  'running-held-change': {
    path: live,
    fill: () => {
      shell(stale());
      link('offline', { held: 1 });
    },
    open: () => receipts(queued().map((entry, at) => (at === 0 ? { ...entry, changeHeld: true } : entry))),
    draft: 'And tell the harbour office.\nThey wait for it.',
  },
  'queue-menu': { path: live, fill: () => shell(), open: () => receipts(queued()), press: ['Actions for queued prompt 1'] },
  'queue-edit': { path: live, fill: () => shell(), open: () => receipts(queued()), press: ['Actions for queued prompt 1', 'Edit'] },
  'queue-stages': {
    path: live,
    fill: () => shell(),
    open: () =>
      receipts([
        receipt(1, 'queued', 'Then add a test with the March export', { of: 4, note: 'other-turn' }),
        receipt(2, 'queued', 'Write a line in CHANGELOG.md', { of: 4, changeHeld: true, heldContent: [] }),
        receipt(5, 'cancelled', 'Print the tide table for May', { lane: 'tray', delivery: 'queue', place: null, undoable: true }),
        receipt(6, 'sending', 'Sort the berths by number', { lane: 'tray', delivery: 'queue', place: null }),
        receipt(3, 'queued', 'Ask the office which dates are theirs', { of: 4, note: 'not-moved' }),
        receipt(4, 'queued', 'Tell them by mail', { of: 4, changeHeld: true, undoable: true }),
      ]),
  },
  'queue-conflict': {
    path: live,
    fill: () => shell(),
    open: () =>
      receipts([
        receipt(1, 'queued', 'Add a test with the March export, and one with no newline at the end', {
          of: 1,
          conflict: [{ type: 'text', text: 'Add a test with the April export' }],
        }),
      ]),
  },
  paused: { path: `/s/${idOf(3)}`, fill: () => shell(), open: () => receipts(queued()) },
  failed: { path: `/s/${idOf(6)}`, fill: () => shell(), open: () => receipts([]) },
  'signed-out-reading': {
    path: live,
    fill: () => {
      shell(stale());
      link('signed-out', { held: 2 });
    },
    press: ['Sign in'],
  },
  'update-needed': {
    path: live,
    fill: () => {
      shell(stale());
      link('update-needed', { held: 1 });
    },
  },
  'server-old': {
    path: live,
    fill: () => {
      shell(stale());
      link('server-old', { held: 1 });
    },
  },
  restarted: {
    path: live,
    fill: () => {
      shell();
      link('live', { restartedAt: NOW - 60_000 });
      useLinkStore().tell(NOTICES.restarted());
    },
    open: () => receipts([]),
  },
  'offline-both': {
    path: live,
    fill: () => {
      shell(stale());
      link('offline', { held: 5, prompts: 2, since: NOW - 3 * 86_400_000 });
    },
    open: () => receipts([]),
  },
  'paused-remembered': {
    path: `/s/${idOf(3)}`,
    fill: () => {
      shell(stale());
      link('offline');
    },
    open: () => receipts(queued()),
  },
  'clock-unknown': {
    path: '/',
    fill: () => {
      shell(stale());
      link('offline', { since: null, skew: null, held: 1 });
    },
  },
  'plain-http': { path: '/', fill: () => shell(), surroundings: { secure: false } },
  'plain-http-settings': { path: '/settings#set-install', fill: () => shell(), surroundings: { secure: false } },
  'safari-held': {
    path: '/',
    fill: () => {
      shell(stale());
      link('offline', { held: 2 });
    },
    surroundings: { system: 'ios', forgetful: true },
  },
  'safari-settings': {
    path: '/settings#set-install',
    fill: () => {
      shell();
      link('offline', { held: 2 });
    },
    surroundings: { system: 'ios', forgetful: true },
  },
  'sign-in-safari': { path: '/', fill: () => (shell([]), link('signed-out')), surroundings: { system: 'ios', forgetful: true } },
  'sign-in-home-screen': { path: '/', fill: () => (shell([]), link('signed-out')), surroundings: { system: 'ios', standalone: true } },
  'session-missing': {
    path: `/s/${idOf(99)}`,
    fill: () => {
      shell();
      link('offline');
    },
  },
  'session-menu': { path: live, fill: () => shell(), press: ['More about this session'] },
  'session-delete': { path: live, fill: () => shell(), press: ['More about this session', 'Delete'] },
  mode: { path: live, fill: () => shell(), press: ['Mode: Ask first'] },
  model: { path: live, fill: () => shell(), press: ['Model: claude-sonnet'] },
  new: { path: '/new?folder=/home/ada/code/harbour', fill: () => shell(sampleRows(), true) },
  'new-folder': { path: '/new', fill: () => shell() },
  'new-folder-offline': {
    path: '/new',
    fill: () => {
      shell();
      link('offline');
    },
  },
  'sign-in': {
    path: '/',
    fill: () => {
      shell([]);
      link('signed-out', { held: 1 });
    },
  },
  'first-minute': { path: '/', fill: () => shell([], true), firstTime: true },
  settings: { path: '/settings', fill: () => shell(sampleRows(), true) },
  turns: { path: live, fill: () => shell(), turns: turns(false), press: ['More about this session', 'Jump to a turn'] },
  'turns-offline': {
    path: live,
    fill: () => {
      shell(stale());
      link('offline');
    },
    turns: turns(true),
    press: ['More about this session', 'Jump to a turn'],
  },
  copying: { path: '/settings', fill: () => copying('running') },
  'copying-list': { path: '/', fill: () => copying('running') },
  'copying-paused': { path: '/settings', fill: () => copying('paused') },
  'copying-full': { path: '/settings', fill: () => copying('full') },
  'settings-sign-out': {
    path: '/settings',
    fill: () => {
      shell();
      link('offline', { held: 2 });
    },
    press: ['Sign out'],
  },
};
