/** A client's message as a frame. Throws `CodedError` for whatever is not exactly one of them: the socket is closed for it. */
import * as z from 'zod/mini';
import type { RawData } from 'ws';
import { CodedError } from '#shared/protocol/errors.ts';
import type { UpFrame } from '#shared/protocol/frames.ts';
import { UpFrameSchema } from '#shared/protocol/requests.ts';

export function readFrame(data: RawData, isBinary: boolean): UpFrame {
  if (isBinary || !Buffer.isBuffer(data)) throw new CodedError('bad-request', 'frames are text');
  const result = z.safeParse(UpFrameSchema, parse(data.toString('utf8')));
  if (!result.success) throw new CodedError('bad-request', 'not a frame of this protocol');
  const frame = result.data;
  switch (frame.type) {
    case 'hello':
      return { ...frame, device: frame.device ?? null };
    case 'subscribe':
      return { ...frame, epoch: frame.epoch ?? null, lastId: frame.lastId ?? null };
    default:
      return frame;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CodedError('bad-json', 'not JSON');
  }
}
