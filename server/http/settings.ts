/** The server's settings: what new sessions start with, and how far a turn may go. */
import { CodedError } from '#shared/protocol/errors.ts';
import { PatchSettings } from '#shared/protocol/requests.ts';
import { body } from './check.ts';
import { commandOf, type HttpParts } from './parts.ts';
import { ok, type Resource } from './resource.ts';

export function settingsResource(parts: HttpParts): Resource {
  return {
    path: '/settings',
    methods: {
      GET: async () => ok(await parts.store.settings()),
      PATCH: async (call) => {
        const { commandId, ...patch } = body(PatchSettings, call);
        if (Object.keys(patch).length === 0) throw new CodedError('bad-request', 'Nothing to change was given.');
        return ok(await parts.store.changeSettings(patch, commandOf(parts, commandId)));
      },
    },
  };
}
