/** Admitting: is this input new, the same as before, or a conflict; and does it wake the session? */
import { LIMITS } from '#shared/protocol/limits.ts';
import type { AdmitDecision, AdmitFacts, SessionFacts } from '../store/decisions.ts';
import type { Admission } from '../store/port.ts';

export function decideAdmit({ admission, session, known, taken, pending }: AdmitFacts): AdmitDecision {
  if (known !== null) {
    // a tombstone has no hash: cancelled before it arrived, whatever it would have said
    const same = known.sessionId === admission.sessionId && (known.payloadHash === null || known.payloadHash === admission.payloadHash);
    if (!same) return { kind: 'refuse', code: 'id-conflict', message: 'this input id was already used for something else' };
    // a retry rings again: the answer, or the process that gave it, may have been lost before the bell
    return { kind: 'same', wake: known.state === 'pending' && !known.held && session.pausedSeq === null };
  }
  if (taken) return { kind: 'refuse', code: 'id-conflict', message: 'this id already belongs to a row of a transcript' };
  if (pending >= LIMITS.pendingInputs) {
    return { kind: 'refuse', code: 'too-many-pending', message: `a session holds at most ${LIMITS.pendingInputs} pending inputs` };
  }
  const endsPause = session.pausedSeq !== null && sawPause(admission, session, session.pausedSeq) && admission.resume !== false;
  const paused = session.pausedSeq !== null && !endsPause;
  // in a running session there is nothing to wake: it takes the input in its turn
  const held = admission.resume === false && session.pausedSeq === null && session.turnId === null;
  return { kind: 'admit', delivery: deliveryOf(admission, session), held, resumes: endsPause, wake: !paused && !held };
}

/** The author knew of the pause; one who does not say what was seen saw everything. */
function sawPause(admission: Admission, session: SessionFacts, pausedSeq: number): boolean {
  return (admission.seenSeq ?? session.head) >= pausedSeq;
}

/** A steer joins the turn it was aimed at, or whatever is next; it does not walk in on another turn. */
function deliveryOf(admission: Admission, session: SessionFacts): Admission['delivery'] {
  const { delivery, aimedTurnId } = admission;
  const elsewhere = aimedTurnId !== undefined && session.turnId !== null && session.turnId !== aimedTurnId;
  return delivery === 'steer' && elsewhere ? 'queue' : delivery;
}
