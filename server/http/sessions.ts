/** Sessions: the list since a version, one made, changed, deleted. */
import { CodedError } from '#shared/protocol/errors.ts';
import { LIMITS } from '#shared/protocol/limits.ts';
import { CreateSession, DeleteBody, PatchSession } from '#shared/protocol/requests.ts';
import { sha256 } from '../auth/secrets.ts';
import { canonicalJson } from '../inbox/canonical.ts';
import { body, idParam, textQuery, wholeQuery } from './check.ts';
import { commandOf, type HttpParts } from './parts.ts';
import { type Call, ok, type Resource } from './resource.ts';

export function sessionResources(parts: HttpParts): Resource[] {
  return [
    { path: '/sessions', methods: { GET: (call) => list(parts, call) } },
    {
      path: '/sessions/:id',
      methods: { PUT: (call) => create(parts, call), PATCH: (call) => change(parts, call), DELETE: (call) => remove(parts, call) },
    },
  ];
}

/** A `since` from another history, or from the future of this one, is told to start over: a restored server must never look caught up (B4). */
async function list({ store }: HttpParts, call: Call) {
  const since = wholeQuery(call, 'since', { min: 0, fallback: 0 });
  const limit = wholeQuery(call, 'limit', { min: 1, max: LIMITS.sessionsPerPage, fallback: LIMITS.sessionsPerPage });
  const epoch = textQuery(call, 'epoch', 64);
  const version = await store.version();
  if ((epoch !== null && epoch !== store.epoch) || since > version) return ok({ reset: true, epoch: store.epoch, version });
  return ok(await store.sessionsSince(since, limit));
}

/**
 * The folder is resolved only for an id never seen: the same request again must get the same answer although the folder went
 * away meanwhile, and what the store knows (deleted, another payload) comes before what the disk says.
 */
async function create({ store, toolbox, clock }: HttpParts, call: Call) {
  const id = idParam(call, 'id');
  const asked = body(CreateSession, call);
  const known = await store.session(id);
  const workspace = known === null ? await toolbox.workspace(asked.workspace) : asked.workspace;
  const settings = await store.settings();
  const { outcome, session } = await store.createSession({
    id,
    workspace,
    title: asked.title ?? '',
    // Null follows the server's default, turn by turn.
    model: asked.model ?? null,
    effort: asked.effort ?? null,
    mode: asked.mode ?? settings.mode,
    payloadHash: sha256(canonicalJson(asked)),
    ...(asked.origin === undefined ? {} : { origin: asked.origin }),
    now: clock.now(),
  });
  return ok(session, outcome === 'created' ? 201 : 200);
}

async function change(parts: HttpParts, call: Call) {
  const id = idParam(call, 'id');
  const { commandId, baseRev, ...asked } = body(PatchSession, call);
  if (Object.keys(asked).length === 0) throw new CodedError('bad-request', 'Nothing to change was given.');
  return ok(await parts.store.changeSession(id, asked, baseRev ?? null, commandOf(parts, commandId)));
}

async function remove(parts: HttpParts, call: Call) {
  const id = idParam(call, 'id');
  const { commandId } = body(DeleteBody, call);
  const { turnId } = await parts.store.deleteSession(id, commandOf(parts, commandId));
  parts.runner.abort(id, turnId);
  return ok(await parts.store.session(id));
}
