/** The session list as shown: the mirror's summaries, what is held here laid over them. Pure. */
import type { SessionSummary } from '#shared/protocol/summaries.ts';
import { wordsOf } from '#shared/protocol/content.ts';
import { oneLine } from '#shared/text.ts';
import type { MirroredSession } from '../mirror/port.ts';
import type { NewSessionBody } from '../own/bodies.ts';
import type { OutboxRow } from '../own/port.ts';
import { writtenAt } from './age.ts';
import { isOutstanding } from './outbox-rules.ts';
import type { SessionRow } from './views.ts';

export interface RowFacts {
  sessions: readonly MirroredSession[];
  rows: readonly OutboxRow[];
  openId: string | null;
  /** The list is the server's word of now. */
  fresh: boolean;
}

/** Every row that is shown. A session whose deletion waits here is not among them. */
export function sessionRows(facts: RowFacts): Map<string, SessionRow> {
  const shown = new Map<string, SessionRow>();
  const known = new Set(facts.sessions.map(({ id }) => id));
  const bySession = new Map<string, OutboxRow[]>();
  for (const row of facts.rows) bySession.set(row.sessionId, [...(bySession.get(row.sessionId) ?? []), row]);
  for (const { id, summary, readTotal } of facts.sessions) {
    const own = bySession.get(id) ?? [];
    if (isBeingDeleted(own)) continue;
    shown.set(id, rowOf(summary, own, { heldHere: false, fresh: facts.fresh, unread: id !== facts.openId && summary.total > readTotal }));
  }
  for (const row of facts.rows) {
    const own = bySession.get(row.sessionId) ?? [];
    if (row.command.kind !== 'create' || known.has(row.sessionId) || isBeingDeleted(own)) continue;
    shown.set(row.sessionId, rowOf(heldSummary(row, own), own, { heldHere: row.state !== 'acked', fresh: false, unread: false }));
  }
  // Words whose session is not here (deleted elsewhere, or this device was signed out) must still have a place to be read.
  for (const row of facts.rows) {
    if (row.command.kind !== 'input' || shown.has(row.sessionId) || known.has(row.sessionId)) continue;
    const own = bySession.get(row.sessionId) ?? [];
    if (isBeingDeleted(own)) continue;
    const left = rowOf(heldSummary(row, own), own, { heldHere: true, fresh: false, unread: false });
    shown.set(row.sessionId, { ...left, gone: own.some(isLeftOver) });
  }
  return shown;
}

/** Its session is not there any more, as far as the server has said. */
function isLeftOver({ command, state, code }: OutboxRow): boolean {
  return command.kind === 'input' && (state === 'orphaned' || (state === 'refused' && code === 'not-found'));
}
function isBeingDeleted(rows: readonly OutboxRow[]): boolean {
  return rows.some((row) => row.command.kind === 'delete');
}

function rowOf(summary: SessionSummary, own: readonly OutboxRow[], facts: Pick<SessionRow, 'heldHere' | 'fresh' | 'unread'>): SessionRow {
  const patches = own.flatMap((row) => (row.command.kind === 'patch' && row.state !== 'refused' ? [row.command.patch] : []));
  const { baseRev: _, ...patched } = Object.assign({}, ...patches) as Partial<SessionSummary> & { baseRev?: number };
  return {
    summary: patches.length === 0 ? summary : { ...summary, ...patched },
    changeHeld: own.some((row) => row.command.kind === 'patch' && isOutstanding(row)),
    gone: false,
    notMade: own.find((row) => row.command.kind === 'create' && row.state === 'refused')?.reason ?? null,
    heldInputs: own.filter((row) => row.command.kind === 'input' && row.state !== 'acked' && row.state !== 'cancelled').length,
    ...facts,
  };
}

/** What a session that only this device knows looks like. */
function heldSummary(row: OutboxRow, own: readonly OutboxRow[]): SessionSummary {
  const body: NewSessionBody = row.command.kind === 'create' ? row.command.body : { workspace: '' };
  const last = own.findLast((other) => other.command.kind === 'input');
  return {
    id: row.sessionId,
    title: body.title ?? '',
    workspace: body.workspace,
    model: body.model ?? null,
    effort: body.effort ?? null,
    mode: body.mode ?? 'ask',
    status: 'idle',
    turnId: null,
    paused: null,
    head: 0,
    total: 0,
    version: 0,
    rev: 0,
    pinned: false,
    archived: false,
    createdAt: writtenAt(row),
    updatedAt: writtenAt(last ?? row),
    lastWords: last?.command.kind === 'input' ? oneLine(wordsOf(last.command.content), 160) : '',
    origin: body.origin ?? null,
  };
}

/** What changed between two lists: rows that differ in anything, and ids that are gone. */
export function rowChanges(
  before: ReadonlyMap<string, SessionRow>,
  after: ReadonlyMap<string, SessionRow>,
): { changed: SessionRow[]; removed: string[] } {
  const changed = [...after.values()].filter((row) => !sameRow(before.get(row.summary.id), row));
  return { changed, removed: [...before.keys()].filter((id) => !after.has(id)) };
}
function sameRow(a: SessionRow | undefined, b: SessionRow): boolean {
  if (a === undefined || a.heldInputs !== b.heldInputs || a.unread !== b.unread || a.fresh !== b.fresh) return false;
  if (a.heldHere !== b.heldHere || a.changeHeld !== b.changeHeld || a.notMade !== b.notMade || a.gone !== b.gone) return false;
  return a.summary === b.summary || JSON.stringify(a.summary) === JSON.stringify(b.summary);
}
