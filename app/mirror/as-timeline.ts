/** A session of one copy as another takes it in: a snapshot up to its cursor. */
import type { LogRecord } from '#shared/protocol/records.ts';
import type { SessionSummary, Timeline } from '#shared/protocol/summaries.ts';
import type { Change, Guard, Projections } from './port.ts';

/** `records`: its newest, dense up to the cursor. `guard`: of the copy that takes it. */
export function asTimeline(
  sessionId: string,
  { cursor, inputs, approvals, summary }: Projections & { summary: SessionSummary },
  records: readonly LogRecord[],
  guard: Guard,
): Change & { kind: 'timeline' } {
  const epoch = guard.epoch ?? '';
  const timeline: Timeline = {
    session: summary,
    records: [...records],
    pendingInputs: [...inputs],
    approvals: [...approvals],
    live: null,
    head: cursor.seq,
    epoch,
  };
  return { kind: 'timeline', sessionId, timeline };
}
