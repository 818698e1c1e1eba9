/** A mirror with one session in it, as both halves of the contract begin. */
import type { LogRecord } from '#shared/protocol/records.ts';
import type { Mirror } from '../../app/mirror/port.ts';
import { summaryOf } from '../support/device/records.ts';

export const S = 'session-a';
export const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at);

export async function apply(mirror: Mirror, records: readonly LogRecord[], kind: 'records' | 'backfill' = 'records') {
  return mirror.apply(await mirror.guard(S), { kind, sessionId: S, records });
}
export async function startedOn(mirror: Mirror): Promise<Mirror> {
  await mirror.adopt('epoch-1', false);
  await mirror.putSessions((await mirror.facts()).guard, [summaryOf(S, { version: 1 })], 1);
  return mirror;
}
