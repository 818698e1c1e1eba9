/** `GET /live` is a WebSocket: asked for plainly, it says so. The upgrade itself never comes here (`upgrade.ts`). */
import { CodedError } from '#shared/protocol/errors.ts';
import type { Resource } from './resource.ts';

export function liveResource(): Resource {
  return {
    path: '/live',
    methods: {
      GET: async () => {
        throw new CodedError('bad-request', 'This path is a WebSocket.');
      },
    },
  };
}
