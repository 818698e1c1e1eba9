/** `GET /health`: for the client's probe and for scripts. No token, so it says nothing else. */
import { PROTOCOL } from '#shared/protocol/version.ts';
import type { HttpParts } from './parts.ts';
import { ok, type Resource } from './resource.ts';

export function healthResource({ store, version }: HttpParts): Resource {
  return {
    path: '/health',
    need: 'nothing',
    methods: { GET: async () => ok({ ok: true, version, protocol: PROTOCOL, epoch: store.epoch }) },
  };
}
