/** Bodies as an outbox row keeps them: the contract's, minus what is added when they are sent. */
import type { CreateSessionBody, PatchSessionBody } from '#shared/protocol/requests.ts';

export type NewSessionBody = CreateSessionBody;
export type SessionPatchBody = Omit<PatchSessionBody, 'commandId'>;
