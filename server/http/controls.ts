/** What a user does to a running session: stop it, let it go on, decide what a tool may do. Each is committed before the runner is told. */
import { DecideApproval, Interrupt, Resume } from '#shared/protocol/requests.ts';
import { body, idParam } from './check.ts';
import { commandOf, type HttpParts } from './parts.ts';
import { type Call, ok, type Resource } from './resource.ts';

export function controlResources(parts: HttpParts): Resource[] {
  return [
    { path: '/sessions/:id/interrupt', methods: { POST: (call) => interrupt(parts, call) } },
    { path: '/sessions/:id/resume', methods: { POST: (call) => resume(parts, call) } },
    { path: '/sessions/:id/approvals/:approvalId', methods: { PUT: (call) => decide(parts, call) } },
  ];
}

/** Nothing to stop, or another turn than the one meant: 200, and nothing changed. */
async function interrupt(parts: HttpParts, call: Call) {
  const id = idParam(call, 'id');
  const { turnId, commandId } = body(Interrupt, call);
  const stopped = await parts.store.stop(id, turnId ?? null, commandOf(parts, commandId));
  if (stopped !== null) parts.runner.abort(id, stopped.turnId);
  return ok({ turnId: stopped?.turnId ?? null });
}

async function resume(parts: HttpParts, call: Call) {
  const id = idParam(call, 'id');
  const { pausedSeq, commandId } = body(Resume, call);
  const { resumed, wake } = await parts.store.resume(id, pausedSeq ?? null, commandOf(parts, commandId));
  if (wake) parts.runner.wake(id);
  return ok({ resumed });
}

async function decide(parts: HttpParts, call: Call) {
  const id = idParam(call, 'id');
  const approvalId = idParam(call, 'approvalId');
  const { decision, remember = false, commandId } = body(DecideApproval, call);
  const verdict = { decision, remember, by: call.caller.deviceId };
  const { outcome, approval } = await parts.store.decideApproval(id, approvalId, verdict, commandOf(parts, commandId));
  if (outcome === 'decided') parts.runner.decided(id, approvalId, decision);
  return ok(approval);
}
