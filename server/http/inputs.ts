/** Inputs: handed over, looked up, edited, cancelled. Each answer is the receipt as it now is. */
import type { ContentPart } from '#shared/protocol/content.ts';
import { CodedError } from '#shared/protocol/errors.ts';
import { LIMITS } from '#shared/protocol/limits.ts';
import { DeleteBody, PatchInput, PutInput } from '#shared/protocol/requests.ts';
import { utf8Length } from '#shared/text.ts';
import { payloadHash } from '../inbox/payload-hash.ts';
import { body, idParam } from './check.ts';
import { commandOf, type HttpParts } from './parts.ts';
import { type Call, ok, type Resource } from './resource.ts';

export function inputResource(parts: HttpParts): Resource {
  return {
    path: '/sessions/:id/inputs/:inputId',
    methods: {
      PUT: (call) => admit(parts, call),
      GET: (call) => look(parts, call),
      PATCH: (call) => edit(parts, call),
      DELETE: (call) => cancel(parts, call),
    },
  };
}

/** 201 the first time, 200 for the same again. What comes back is on disk (law 2). */
async function admit({ store, runner, clock }: HttpParts, call: Call) {
  const { sessionId, inputId } = ids(call);
  const asked = body(PutInput, call);
  checkContent(asked.content);
  const now = clock.now();
  const { outcome, receipt, wake } = await store.admit({
    sessionId,
    inputId,
    content: asked.content,
    delivery: asked.delivery,
    payloadHash: payloadHash(sessionId, asked.content, asked.delivery),
    composedAt: asked.composedAt ?? now,
    seenSeq: asked.seenSeq ?? null,
    aimedTurnId: asked.aimedTurnId,
    resume: asked.resume ?? null,
    now,
  });
  if (wake) runner.wake(sessionId);
  return ok(receipt, outcome === 'admitted' ? 201 : 200);
}

async function look({ store }: HttpParts, call: Call) {
  const { sessionId, inputId } = ids(call);
  const receipt = await store.input(sessionId, inputId);
  if (receipt === null) throw new CodedError('not-found', 'The server does not have that input.');
  return ok(receipt);
}

async function edit(parts: HttpParts, call: Call) {
  const { sessionId, inputId } = ids(call);
  const { commandId, baseRev, ...asked } = body(PatchInput, call);
  if (Object.keys(asked).length === 0) throw new CodedError('bad-request', 'Nothing to change was given.');
  if (asked.content) checkContent(asked.content);
  const { receipt, wake } = await parts.store.editInput(sessionId, inputId, asked, baseRev ?? null, commandOf(parts, commandId));
  if (wake) parts.runner.wake(sessionId);
  return ok(receipt);
}

async function cancel(parts: HttpParts, call: Call) {
  const { sessionId, inputId } = ids(call);
  const { commandId } = body(DeleteBody, call);
  return ok(await parts.store.cancelInput(sessionId, inputId, commandOf(parts, commandId)));
}

function ids(call: Call): { sessionId: string; inputId: string } {
  return { sessionId: idParam(call, 'id'), inputId: idParam(call, 'inputId') };
}

/** What a schema cannot say: the bytes of all text together, and that attachments have no store yet. */
function checkContent(content: readonly ContentPart[]): void {
  let bytes = 0;
  for (const part of content) {
    if (part.type === 'attachment') throw new CodedError('not-implemented', 'This server takes no attachments yet.');
    bytes += utf8Length(part.text);
  }
  const limit = LIMITS.inputTextBytes;
  if (bytes > limit) throw new CodedError('too-large', `The words are longer than ${limit} bytes.`, { path: 'content', limit });
}
