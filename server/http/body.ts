/**
 * Reads a JSON body with bounded memory. Parsing happens here and not in a library so that every refusal is one of ours:
 * a wrong type is 415, over the limit 413, and what is not JSON in UTF-8 400.
 */
import type { IncomingMessage } from 'node:http';
import { CodedError } from '#shared/protocol/errors.ts';

/** Past this many times the limit the rest is not even read: the connection is given up after the answer. */
const DRAIN_TIMES = 4;
const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** The parsed body, or undefined when the request has none. */
export async function readJson(request: IncomingMessage, limit: number): Promise<unknown> {
  const { 'content-type': type, 'content-encoding': encoding, 'content-length': length, 'transfer-encoding': transfer } = request.headers;
  const wrongType = new CodedError('wrong-type', 'Bodies must be application/json in UTF-8, not compressed.');
  if (type !== undefined && !JSON_TYPE.test(type)) throw wrongType;
  if (encoding !== undefined && encoding !== 'identity') throw wrongType;
  const declared = length === undefined ? null : Number(length);
  if (transfer === undefined && (declared === null || declared === 0)) return undefined;
  const bytes = await collect(request, limit, declared);
  // Some clients send an empty body in chunks, which shows only now.
  if (bytes.length === 0) return undefined;
  if (type === undefined) throw wrongType;
  return parseJson(bytes);
}

/** Strict JSON. A key `__proto__` is refused at any depth: no object made of it is ever what its reader takes it for. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes), (key: string, value: unknown) => {
      if (key === '__proto__') throw new CodedError('unknown-key', 'A key named __proto__ is never accepted.');
      return value;
    });
  } catch (error) {
    if (error instanceof CodedError) throw error;
    throw new CodedError('bad-json', 'The body is not JSON in UTF-8.');
  }
}

/**
 * Over the limit the rest is read and dropped before the refusal, so that a client that writes before it reads gets the answer;
 * only a body many times too large is cut off.
 */
async function collect(request: IncomingMessage, limit: number, declared: number | null): Promise<Uint8Array> {
  const tooLarge = new CodedError('too-large', `The body is larger than ${limit} bytes.`, { limit });
  if (declared !== null && declared > limit * DRAIN_TIMES) throw tooLarge;
  const kept: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of request as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size <= limit) kept.push(piece);
      else kept.length = 0;
      if (size > limit * DRAIN_TIMES) break;
    }
  } catch {
    // The peer went away in the middle of its body: nobody is left to read the answer.
    throw new CodedError('bad-request', 'The body ended early.');
  }
  if (size > limit) throw tooLarge;
  return Buffer.concat(kept, size);
}
