import { expect, test } from 'vitest';
import { LIMITS } from '#shared/protocol/limits.ts';
import { decideAdmit } from '../../server/inbox/admit.ts';
import type { AdmitFacts } from '../../server/store/decisions.ts';
import { admission } from '../support/store-harness.ts';

const asked = admission('s', 'hello');
function facts(more: Partial<AdmitFacts> = {}): AdmitFacts {
  return { admission: asked, session: { head: 10, turnId: null, pausedSeq: null }, known: null, taken: false, pending: 0, ...more };
}
const PLAIN = { kind: 'admit', delivery: 'steer', held: false, resumes: false, wake: true };

test('a new input into an idle session is admitted as asked and wakes it', () => {
  expect(decideAdmit(facts())).toEqual(PLAIN);
  expect(decideAdmit(facts({ admission: { ...asked, delivery: 'queue' } }))).toEqual({ ...PLAIN, delivery: 'queue' });
});

test('a known id is the same by its first hash and its session, else a conflict', () => {
  const known = { sessionId: 's', payloadHash: asked.payloadHash, state: 'pending', held: false } as const;
  expect(decideAdmit(facts({ known }))).toEqual({ kind: 'same', wake: true });
  const conflict = { kind: 'refuse', code: 'id-conflict' };
  expect(decideAdmit(facts({ known: { ...known, payloadHash: 'another' } }))).toMatchObject(conflict);
  expect(decideAdmit(facts({ known: { ...known, sessionId: 'other' } }))).toMatchObject(conflict);
  expect(decideAdmit(facts({ known: { ...known, payloadHash: null, state: 'cancelled', sessionId: 'other' } }))).toMatchObject(conflict);
  expect(decideAdmit(facts({ taken: true }))).toMatchObject(conflict);
});

test('a retry rings only for what can run: not once promoted or cancelled, not while paused, not when it was told not to wake', () => {
  const known = { sessionId: 's', payloadHash: asked.payloadHash, state: 'pending', held: false } as const;
  const wake = (more: Partial<AdmitFacts>) => {
    const decision = decideAdmit(facts({ known, ...more }));
    return decision.kind === 'same' && decision.wake;
  };
  expect(wake({})).toBe(true);
  expect(wake({ known: { ...known, state: 'promoted' } })).toBe(false);
  expect(wake({ known: { ...known, state: 'cancelled', payloadHash: null } })).toBe(false);
  expect(wake({ known: { ...known, held: true } })).toBe(false);
  expect(wake({ session: { head: 10, turnId: null, pausedSeq: 4 } })).toBe(false);
});

test('the limit on pending inputs stops new ones, not retries', () => {
  const full = { pending: LIMITS.pendingInputs };
  expect(decideAdmit(facts(full))).toMatchObject({ kind: 'refuse', code: 'too-many-pending' });
  const known = { sessionId: 's', payloadHash: asked.payloadHash, state: 'pending', held: false } as const;
  expect(decideAdmit(facts({ ...full, known })).kind).toBe('same');
  expect(decideAdmit(facts({ pending: LIMITS.pendingInputs - 1 }))).toEqual(PLAIN);
});

test('a pause ends with a send by who saw it, and stays for who did not, or does not want it to end', () => {
  const session = { head: 10, turnId: null, pausedSeq: 7 };
  const send = (seenSeq: number | null, resume: boolean | null) =>
    decideAdmit(facts({ session, admission: { ...asked, seenSeq, resume } }));
  const ends = { ...PLAIN, resumes: true };
  const stays = { ...PLAIN, wake: false };
  expect(send(null, null)).toEqual(ends);
  expect(send(7, null)).toEqual(ends);
  expect(send(7, true)).toEqual(ends);
  expect(send(6, null)).toEqual(stays);
  expect(send(6, true)).toEqual(stays);
  expect(send(9, false)).toEqual(stays);
  expect(send(null, false)).toEqual(stays);
});

test('`resume: false` holds an input back only where it would have woken an idle session', () => {
  const quiet = { ...asked, resume: false };
  const admit = (turnId: string | null, pausedSeq: number | null) =>
    decideAdmit(facts({ admission: quiet, session: { head: 10, turnId, pausedSeq } }));
  expect(admit(null, null)).toEqual({ ...PLAIN, held: true, wake: false });
  expect(admit('t', null)).toEqual(PLAIN);
  expect(admit(null, 3)).toEqual({ ...PLAIN, wake: false });
});

test('a steer that was aimed elsewhere than at the running turn is queued', () => {
  const deliver = (turnId: string | null, aimedTurnId: string | null | undefined) => {
    const decision = decideAdmit(facts({ admission: { ...asked, aimedTurnId }, session: { head: 10, turnId, pausedSeq: null } }));
    return decision.kind === 'admit' ? decision.delivery : decision.kind;
  };
  expect([deliver('t', undefined), deliver('t', 't'), deliver(null, 't'), deliver(null, null)]).toEqual([
    'steer',
    'steer',
    'steer',
    'steer',
  ]);
  expect([deliver('t', 'u'), deliver('t', null)]).toEqual(['queue', 'queue']);
});
