/** Blobs by their hash: chunk data too large to inline. Uploading comes with attachments. */
import { CodedError } from '#shared/protocol/errors.ts';
import type { HttpParts } from './parts.ts';
import type { Call, Resource } from './resource.ts';

export function blobResource({ store }: HttpParts): Resource {
  return {
    path: '/blobs/:sha256',
    methods: {
      /** Never shown by a browser in our origin, whatever it holds: a download, of a type that runs nothing. */
      GET: async (call) => {
        const sha256 = hashParam(call);
        const blob = await store.blob(sha256);
        if (blob === null) throw new CodedError('not-found', 'The server does not have that blob.');
        const type = blob.mime === 'application/json' ? blob.mime : 'application/octet-stream';
        return {
          status: 200,
          headers: { 'Content-Type': type, 'Content-Disposition': `attachment; filename="${sha256}"`, 'X-Content-Type-Options': 'nosniff' },
          bytes: blob.bytes,
        };
      },
      PUT: async (call) => {
        hashParam(call);
        throw new CodedError('not-implemented', 'This server takes no attachments yet.');
      },
    },
  };
}

function hashParam(call: Call): string {
  const value = call.params['sha256'] ?? '';
  if (!/^[0-9a-f]{64}$/.test(value)) throw new CodedError('bad-id', 'The blob’s name in the path is not a SHA-256 in lower-case hex.');
  return value;
}
