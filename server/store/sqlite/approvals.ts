/** Approvals: server state, so that every device that connects sees what waits for it, and one decision wins (B8). */
import { CodedError } from '#shared/protocol/errors.ts';
import type { Approval } from '#shared/protocol/summaries.ts';
import type { ApprovalAsk, Claim, Command } from '../port.ts';
import type { Core } from './core.ts';
import { changeUnderClaim, onceOnSession } from './core.ts';
import { approvalOf } from './rows.ts';
import type { ApprovalRow } from './rows.ts';

/** Asked of a turn that the user has stopped already, it is `gone` at once. */
export function askApproval(core: Core, claim: Claim, ask: ApprovalAsk, now: number): Approval {
  return changeUnderClaim(core, claim, now, (work) => {
    const { id, turnId, step, callId, name, effect, summary } = ask;
    const asked: ApprovalRow = {
      id,
      session: claim.sessionId,
      turn_id: turnId,
      step,
      call_id: callId,
      name,
      effect,
      summary,
      state: 'open',
      asked_at: now,
      decided_by: null,
    };
    core.sql.insertApproval(asked);
    work.row.open_approvals += 1;
    work.event('approval-asked', turnId, { approvalId: id, callId, name, effect, summary });
    if (work.row.paused_seq === null) return approvalOf(asked);
    work.closeApprovals();
    return approvalOf({ ...asked, state: 'gone' });
  });
}

export function decideApproval(
  core: Core,
  sessionId: string,
  approvalId: string,
  verdict: { decision: 'allow' | 'deny'; remember: boolean; by: string | null },
  command: Command,
): { outcome: 'decided' | 'same'; approval: Approval } {
  return onceOnSession(core, command, `decide-approval ${approvalId}`, sessionId, (work) => {
    const { decision, remember, by } = verdict;
    const row = core.sql.approval(approvalId);
    if (row === undefined || row.session !== sessionId) throw new CodedError('not-found', 'there is no such approval');
    if (row.state === decision) return { outcome: 'same', approval: approvalOf(row) };
    if (row.state !== 'open') {
      throw new CodedError('gone', 'this question is no longer open', { current: approvalOf(row) });
    }
    core.sql.decideApproval(decision, by, approvalId);
    work.row.open_approvals -= 1;
    const facts = { approvalId, callId: row.call_id, decision, by };
    work.event('approval-decided', row.turn_id, remember ? { ...facts, remember } : facts);
    return { outcome: 'decided', approval: approvalOf({ ...row, state: decision }) };
  });
}

export function approval(core: Core, approvalId: string): Approval | null {
  const row = core.sql.approval(approvalId);
  return row === undefined ? null : approvalOf(row);
}
