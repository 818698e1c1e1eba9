/**
 * Ids of a fork's rows. They follow from one text of the fork's own and the old ids, so that nothing has to be remembered however long
 * the session is. Pure.
 */
import { createHash } from 'node:crypto';
import { isUuid7 } from '#shared/ids.ts';

/** What stands for `old` in the fork: a UUIDv7 of the same time, so that ids of old turns stay older. */
export function forkedId(salt: string, old: string): string {
  const hash = createHash('sha256').update(`${salt} ${old}`).digest('hex');
  const time = isUuid7(old) ? old.slice(0, 13) : '00000000-0000';
  const variant = ((Number.parseInt(hash[3]!, 16) & 3) | 8).toString(16);
  return `${time}-7${hash.slice(0, 3)}-${variant}${hash.slice(4, 7)}-${hash.slice(7, 19)}`;
}

/** A chunk of a turn keeps its place in it (`turnId.step.phase.i`); a prompt, an event, a row outside of a turn get an id of their own. */
export function forkedRecordId(salt: string, record: string, turn: string | null): string {
  return turn !== null && record.startsWith(`${turn}.`) ? forkedId(salt, turn) + record.slice(turn.length) : forkedId(salt, record);
}
