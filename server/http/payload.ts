/**
 * The fingerprint of a payload as first asked for (law 1): what decides whether a retry is the same request or a conflict.
 * Written out key by key, so that neither key order nor an absent optional changes it.
 */
import { sha256 } from '../auth/secrets.ts';
import type { ContentPart } from '#shared/protocol/content.ts';
import type { Delivery } from '#shared/protocol/records.ts';
import type { CreateSessionBody } from '#shared/protocol/requests.ts';

/** Of a session's creation. */
export function createHashOf(asked: CreateSessionBody): string {
  const { workspace, title = null, model = null, effort = null, mode = null } = asked;
  return sha256(JSON.stringify(['session', workspace, title, model, effort, mode]));
}

/** Of an input: session, content and the delivery asked for; nothing else is part of it. */
export function inputHashOf(sessionId: string, content: readonly ContentPart[], delivery: Delivery): string {
  const parts = content.map((part) => (part.type === 'text' ? ['text', part.text] : ['attachment', part.sha256, part.name, part.mime]));
  return sha256(JSON.stringify(['input', sessionId, delivery, parts]));
}
