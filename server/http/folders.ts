/** `GET /folders`: a phone cannot type paths. Folders under the allowed roots, and where sessions worked lately. */
import { CodedError } from '#shared/protocol/errors.ts';
import { LIMITS } from '#shared/protocol/limits.ts';
import { isTombstone, type SessionSummary } from '#shared/protocol/summaries.ts';
import type { Store } from '../store/port.ts';
import type { Toolbox } from '../tools/port.ts';
import { textQuery } from './check.ts';
import type { HttpParts } from './parts.ts';
import { ok, type Resource } from './resource.ts';

const RECENT = 10;

export function folderResource({ store, toolbox }: HttpParts): Resource {
  return {
    path: '/folders',
    methods: {
      GET: async (call) => {
        const listing = await toolbox.folders(textQuery(call, 'path', LIMITS.pathChars));
        return ok({ ...listing, recent: await recentWorkspaces(store, toolbox) });
      },
    },
  };
}

/** Distinct workspaces of the sessions changed last, newest first, without those that may no longer be used. */
async function recentWorkspaces(store: Store, toolbox: Toolbox): Promise<string[]> {
  const recent: string[] = [];
  for (const workspace of await newestWorkspaces(store, RECENT)) {
    try {
      await toolbox.workspace(workspace);
      recent.push(workspace);
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
    }
  }
  return recent;
}

/**
 * The list can only be walked upwards by version, so this looks at the newest stretch of versions and doubles it until there
 * are enough: the cost follows what changed lately, not how many sessions there are.
 */
async function newestWorkspaces(store: Store, count: number): Promise<string[]> {
  const version = await store.version();
  for (let span = 256; ; span *= 2) {
    const since = Math.max(0, version - span);
    const found = new Set<string>();
    for (const session of (await sessionsAfter(store, since)).toReversed()) found.add(session.workspace);
    if (found.size >= count || since === 0) return [...found].slice(0, count);
  }
}

async function sessionsAfter(store: Store, since: number): Promise<SessionSummary[]> {
  const sessions: SessionSummary[] = [];
  for (let from = since; ;) {
    const page = await store.sessionsSince(from, LIMITS.sessionsPerPage);
    for (const entry of page.sessions) if (!isTombstone(entry)) sessions.push(entry);
    const last = page.sessions.at(-1);
    if (!page.more || !last) return sessions;
    from = last.version;
  }
}
