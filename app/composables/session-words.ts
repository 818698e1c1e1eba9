/** What a row of the session list shows: its mark, its last line and how modes and pauses are called. */
import type { Mode, PauseReason } from '#shared/protocol/records.ts';
import type { SessionRow } from '../sync/views.ts';
import { sinceWords } from './time-words.ts';

/** `stale`, `asked`: last seen running, or waiting for the user: no claim that it is so now. */
export type SessionMark = 'waiting' | 'asked' | 'running' | 'stale' | 'paused' | 'failed' | 'held' | 'unread' | 'idle';

/** The one mark of a session, the most pressing first. Only the server's word of now is shown as running (law 16). */
export function markOf(row: SessionRow): SessionMark {
  const { status, paused } = row.summary;
  if (status === 'waiting') return row.fresh ? 'waiting' : 'asked';
  if (status === 'running') return row.fresh ? 'running' : 'stale';
  if (paused !== null) return paused.reason === 'stopped' ? 'paused' : 'failed';
  if (row.heldHere || row.heldInputs > 0 || row.changeHeld) return 'held';
  return row.unread ? 'unread' : 'idle';
}

/** Read out before the last line, since the stone itself is decoration. */
export const MARK_WORDS: Record<SessionMark, string> = {
  waiting: 'Needs you. ',
  asked: '',
  running: 'Running. ',
  stale: '',
  paused: 'Paused. ',
  failed: 'Failed. ',
  held: 'Held here. ',
  unread: 'Unread. ',
  idle: '',
};

/** A session that has no name yet is called by its first words once it has any. */
export function titleOf(row: SessionRow): string {
  if (row.gone) return 'Session that is gone';
  return row.summary.title.trim() === '' ? 'New session' : row.summary.title;
}

/** The second line of a row. */
export function lastLine(row: SessionRow, now: number | null): string {
  const { status, lastWords, updatedAt, paused } = row.summary;
  if (!row.fresh && !row.heldHere) {
    if (status === 'running') return `Last seen running at ${sinceWords(updatedAt, now)}`;
    if (status === 'waiting') return `Was waiting for you at ${sinceWords(updatedAt, now)}`;
  }
  if (paused !== null && status === 'paused') return `${row.fresh ? 'Paused.' : 'Paused when last seen.'} ${pauseWords(paused.reason)}`;
  if (row.notMade !== null) return `Not made. ${row.notMade}`;
  if (lastWords.trim() !== '') return lastWords;
  if (row.heldHere && row.summary.origin) return 'Fork made here. Its history is copied when the link is back';
  return row.heldHere ? 'Made here. It goes to the server when the link is back' : 'Nothing asked yet';
}

/** Why the queue is paused. */
export function pauseWords(reason: PauseReason): string {
  switch (reason) {
    case 'stopped':
      return 'You stopped the turn';
    case 'failed':
      return 'The turn failed';
    case 'refused':
      return 'The model refused';
    case 'budget':
      return 'The turn was cut off too often';
  }
}

/** The last part of a path, which is what a workspace is known by. Both kinds of slash, none at the end. */
export function folderName(path: string): string {
  const parts = path.split(/[\\/]/).filter((part) => part !== '');
  return parts.at(-1) ?? path;
}

/** Modes by name and by what they do. */
export const MODE_WORDS: Record<Mode, { name: string; says: string }> = {
  ask: { name: 'Ask first', says: 'Writes, edits and commands ask' },
  'accept-edits': { name: 'Accept edits', says: 'Only commands ask' },
  plan: { name: 'Plan only', says: 'No writes, edits or commands' },
  auto: { name: 'Ask nothing', says: 'Writes, edits and commands run at once' },
};
