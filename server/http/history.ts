/** Reading a session: its timeline in one snapshot, its log, its chunks, its turns. The store bounds a page in bytes as well as in rows. */
import { LIMITS } from '#shared/protocol/limits.ts';
import { idParam, wholeQuery } from './check.ts';
import type { HttpParts } from './parts.ts';
import { type Call, ok, type Resource } from './resource.ts';

/** Rows when the query names no limit. */
const DEFAULTS = { timeline: 200, log: 500, chunks: 100, turns: 100 };

export function historyResources(parts: HttpParts): Resource[] {
  return [
    { path: '/sessions/:id/timeline', methods: { GET: (call) => timeline(parts, call) } },
    { path: '/sessions/:id/log', methods: { GET: (call) => log(parts, call) } },
    { path: '/sessions/:id/chunks', methods: { GET: (call) => chunks(parts, call) } },
    { path: '/sessions/:id/turns', methods: { GET: (call) => turns(parts, call) } },
  ];
}

/** The live part is taken after the page: it may follow a later seq than `head`, which its `afterSeq` says. */
async function timeline({ store, runner }: HttpParts, call: Call) {
  const id = idParam(call, 'id');
  const limit = wholeQuery(call, 'limit', { min: 1, max: LIMITS.recordsPerPage, fallback: DEFAULTS.timeline });
  const page = await store.timeline(id, limit);
  return ok({ ...page, live: runner.snapshot(id) });
}

async function log({ store }: HttpParts, call: Call) {
  const id = idParam(call, 'id');
  const after = wholeQuery(call, 'after', { min: 0, fallback: 0 });
  const limit = wholeQuery(call, 'limit', { min: 1, max: LIMITS.recordsPerPage, fallback: DEFAULTS.log });
  return ok(await store.log(id, after, limit, LIMITS.logPageBytes));
}

async function chunks({ store }: HttpParts, call: Call) {
  const id = idParam(call, 'id');
  const before = wholeQuery(call, 'before', { min: 1, fallback: null });
  const limit = wholeQuery(call, 'limit', { min: 1, max: LIMITS.chunksPerPage, fallback: DEFAULTS.chunks });
  return ok(await store.chunks(id, before, limit));
}

async function turns({ store }: HttpParts, call: Call) {
  const id = idParam(call, 'id');
  const before = wholeQuery(call, 'before', { min: 1, fallback: null });
  const limit = wholeQuery(call, 'limit', { min: 1, max: LIMITS.turnsPerPage, fallback: DEFAULTS.turns });
  return ok({ turns: await store.turns(id, before, limit) });
}
