/** What a payload was as first asked for: retries are judged against this, never against what an edit made of it (law 1). */
import { createHash } from 'node:crypto';
import type { ContentPart } from '#shared/protocol/content.ts';
import type { Delivery } from '#shared/protocol/records.ts';
import { canonicalJson } from './canonical.ts';

/** SHA-256 (hex) of session, content and the delivery asked for. `composedAt`, `seenSeq`, `aimedTurnId` and `resume` are no part of it: a retry may know better. */
export function payloadHash(sessionId: string, content: readonly ContentPart[], delivery: Delivery): string {
  return createHash('sha256').update(canonicalJson({ sessionId, content, delivery })).digest('hex');
}
