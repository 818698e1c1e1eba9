/** Comparing and keeping secrets. Pure but for `node:crypto`'s hashing. */
import { createHash, timingSafeEqual } from 'node:crypto';

/** SHA-256 in hex: what is kept of a device token, so that a copy of the database opens no door. */
export function sha256(text: string): string {
  return digest(text).toString('hex');
}

/** Whether two secrets are equal, in a time that tells nothing of where they differ or how long they are. */
export function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}
