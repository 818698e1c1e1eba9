/**
 * What a resource is: a path under `/api`, and a function a method. Handlers know nothing of Express: they get a `Call`,
 * already through the door and with a parsed body, and answer or throw a `CodedError`.
 */
import type { Caller, Knock, Need } from '../auth/door.ts';

export type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';

export interface Call {
  /** Path parameters, decoded, unchecked. */
  params: Readonly<Record<string, string>>;
  /** Query as given: a key given twice is an array. */
  query: Readonly<Record<string, unknown>>;
  /** Parsed JSON; undefined when there was no body. */
  body: unknown;
  caller: Caller;
  knock: Knock;
  /** Address of the peer. */
  peer: string;
}
export type Answer =
  | { status: number; headers?: Record<string, string>; json: unknown }
  | { status: number; headers?: Record<string, string>; bytes: Uint8Array };
export type Handler = (call: Call) => Promise<Answer>;

export interface Resource {
  /** Express path below `/api`. */
  path: string;
  /** What the door asks; `token` unless said. Only whole paths without parameters may say otherwise. */
  need?: Need;
  methods: Partial<Record<Method, Handler>>;
}

export function ok(json: unknown, status = 200): Answer {
  return { status, json };
}
