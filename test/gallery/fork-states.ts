/** Forks: the menu on a prompt, other words for it, and what a fork says of itself. */
import { useSessionsStore } from '../../app/stores/sessions.ts';
import type { SessionSummary } from '#shared/protocol/summaries.ts';
import type { SessionRow } from '../../app/sync/views.ts';
import { idOf } from './sessions.ts';
import type { GalleryState } from './states.ts';
import { Log, receiptOf, SESSION, show } from './transcript.ts';
import { fill, path } from './transcript-states.ts';

const log = (): Log =>
  new Log()
    .prompt('When a file has no newline at the end, the importer loses its last row. Find out why and fix it.')
    .text('`splitRows` drops the last element whether or not it is empty. I keep it when it has text.')
    .nextStep()
    .prompt('Handle CRLF too.', false)
    .text('It does now.')
    .prompt('And write it into the changelog.')
    .text('Written, under 2.3.');

/** The open session as a fork of another of the list. */
function asFork(origin: SessionSummary['origin'], more: Partial<SessionRow> = {}, head: Partial<SessionSummary> = {}): void {
  const sessions = useSessionsStore();
  const row = sessions.byId(SESSION)!;
  sessions.put([{ ...row, ...more, summary: { ...row.summary, title: 'Rename dock to berth (fork)', origin, status: 'idle', ...head } }]);
}
const heldHere = { heldHere: true, fresh: false, heldInputs: 1 };

export const FORK_STATES: Record<string, GalleryState> = {
  'fork-menu': { path, fill: fill(), open: () => show({ log: log() }), press: ['More about this prompt'] },
  'fork-edit': {
    path,
    fill: fill(),
    open: () => show({ log: log() }),
    press: ['More about this prompt', 'Edit and send again In a fork from before this turn'],
  },
  fork: {
    path,
    fill: fill(),
    open: () => {
      show({ log: log() });
      asFork({ sessionId: idOf(8), seq: 40 });
    },
  },
  'fork-of-deleted': {
    path,
    fill: fill(),
    open: () => {
      show({ log: log() });
      asFork({ sessionId: idOf(999), seq: 40 });
    },
  },
  'fork-held': {
    path,
    fill: fill('offline', 2),
    open: () => {
      show({ log: new Log(), receipts: [receiptOf('held', 'Write it into the changelog, in one line.', { place: 1, of: 1 })] });
      asFork({ sessionId: idOf(8), seq: 40 }, heldHere, { lastWords: '' });
    },
  },
  'fork-refused': {
    path,
    fill: fill(),
    open: () => {
      const reason = 'The session to fork from was deleted.';
      show({ log: new Log(), receipts: [receiptOf('refused', 'Write it into the changelog, in one line.', { reason })] });
      asFork({ sessionId: idOf(999), seq: 40 }, { ...heldHere, notMade: reason });
    },
  },
};
