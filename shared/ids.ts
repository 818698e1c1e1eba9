/** Ids are UUIDv7 (RFC 9562): time-ordered, so that indexes stay tight. They order nothing that a user sees: `seq` does. */
import type { Clock, Random } from './ports.ts';

const UUID7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** True for a UUIDv7 in lower case, as `newId` makes them. */
export function isUuid7(value: string): boolean {
  return UUID7.test(value);
}

/** A new UUIDv7 from the given clock (ms since 1970) and 10 random bytes. */
export function newId(clock: Clock, random: Random): string {
  const bytes = new Uint8Array(16);
  bytes.set(random.bytes(10), 6);
  let time = Math.max(0, Math.floor(clock.now()));
  for (let at = 5; at >= 0; at--) {
    bytes[at] = time % 256;
    time = Math.floor(time / 256);
  }
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Phase letters of a chunk id: the provider's message, tool results, and rows that Cairn writes itself. */
export type IdPhase = 'm' | 't' | 's';
/** The deterministic id of a chunk of a turn, the same live and sealed: `turnId.step.phase.i`. */
export function chunkId(turnId: string, step: number, phase: IdPhase, i: number): string {
  return `${turnId}.${step}.${phase}.${i}`;
}
