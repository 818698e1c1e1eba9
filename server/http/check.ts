/** Checks of what came in: ids, numbers, bodies. Each throws the coded refusal and has no other effect. */
import * as z from 'zod/mini';
import { isUuid7 } from '#shared/ids.ts';
import { CodedError } from '#shared/protocol/errors.ts';
import type { Call } from './resource.ts';

/** A path parameter that must be a UUIDv7. */
export function idParam(call: Call, name: string): string {
  const value = call.params[name] ?? '';
  if (!isUuid7(value)) throw new CodedError('bad-id', `The ${name} in the path is not a UUIDv7 in lower case.`);
  return value;
}

/** A whole number of the query; absent: `fallback`. Below `min` or not a number: 400. Above `max`: clamped to it. */
export function wholeQuery<T>(call: Call, name: string, shape: { min: number; max?: number; fallback: T }): number | T {
  const value = call.query[name];
  if (value === undefined) return shape.fallback;
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
  if (!Number.isSafeInteger(number) || number < shape.min)
    throw new CodedError('bad-request', `The query's ${name} must be a whole number, at least ${shape.min}.`);
  return shape.max === undefined ? number : Math.min(number, shape.max);
}

/** A text of the query; absent or empty: null. */
export function textQuery(call: Call, name: string, chars: number): string | null {
  const value = call.query[name];
  if (value === undefined || value === '') return null;
  if (typeof value !== 'string' || value.length > chars || value.includes('\0'))
    throw new CodedError('bad-request', `The query's ${name} must be one text of at most ${chars} characters.`);
  return value;
}

/**
 * The body as the schema makes it. An unknown key is `unknown-key`, a text or list over its limit `too-large` with the limit
 * in `details`, anything else `bad-request`. No body counts as an empty object.
 */
export function body<T extends z.core.$ZodType>(schema: T, call: Call): z.output<T> {
  const result = z.safeParse(schema, call.body === undefined ? {} : call.body);
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  const at = issue.path.length > 0 ? issue.path.map(String).join('.') : 'body';
  if (issue.code === 'unrecognized_keys') throw new CodedError('unknown-key', `Unknown key in ${at}: ${issue.keys.join(', ')}`);
  if (issue.code === 'too_big' && (issue.origin === 'string' || issue.origin === 'array'))
    throw new CodedError('too-large', `${at} is longer than ${issue.maximum}.`, { path: at, limit: Number(issue.maximum) });
  throw new CodedError('bad-request', `${at}: ${issue.message}`);
}
