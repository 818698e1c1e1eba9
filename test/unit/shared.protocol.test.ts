import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CodedError, ERRORS, type ErrorCode } from '#shared/protocol/errors.ts';
import { LIMITS } from '#shared/protocol/limits.ts';
import {
  CreateSession,
  DecideApproval,
  DeleteBody,
  Interrupt,
  PatchInput,
  PatchSession,
  PatchSettings,
  PutInput,
  Resume,
  SignIn,
  UpFrameSchema,
} from '#shared/protocol/requests.ts';
import { API, ROUTES, SERVER_PREFIXES } from '#shared/protocol/routes.ts';
import { PROTOCOL, PROTOCOL_MINIMUM } from '#shared/protocol/version.ts';

const ID = '0189b2f4-7c1a-7b2e-9d3f-0123456789ab';
/** A body that is right, for each schema. */
const GOOD = {
  CreateSession: { workspace: '/w', title: 'a', model: 'm', effort: 'low', mode: 'ask' },
  PatchSession: { title: 'a', pinned: true, commandId: ID, baseRev: 0 },
  PutInput: { content: [{ type: 'text', text: 'a' }], delivery: 'steer', composedAt: 1, seenSeq: 0, aimedTurnId: null, resume: true },
  PatchInput: { content: [{ type: 'text', text: 'a' }], after: null, commandId: ID },
  DeleteBody: { commandId: ID },
  Interrupt: { turnId: 't', commandId: ID },
  Resume: { pausedSeq: 3, commandId: ID },
  DecideApproval: { decision: 'allow', remember: true, commandId: ID },
  SignIn: { token: 'x', name: 'phone' },
  PatchSettings: { model: null, mode: 'plan', stepLimit: 5, keepAwake: false, commandId: ID },
  UpFrameSchema: { type: 'subscribe', sessionId: ID, epoch: 'e', after: 0, lastId: null },
} as const;
const SCHEMAS = {
  CreateSession,
  PatchSession,
  PutInput,
  PatchInput,
  DeleteBody,
  Interrupt,
  Resume,
  DecideApproval,
  SignIn,
  PatchSettings,
  UpFrameSchema,
};
type Name = keyof typeof GOOD;
const names = Object.keys(GOOD) as Name[];
const accepts = (name: Name, value: unknown): boolean => SCHEMAS[name].safeParse(value).success;

describe('request schemas', () => {
  it.each(names)('%s takes a right body, and refuses an unknown key, `__proto__` and `constructor` too', (name) => {
    const good = GOOD[name];
    expect(accepts(name, good)).toBe(true);
    for (const key of ['extra', '__proto__', 'constructor', 'toString', '']) {
      const text = JSON.stringify(good).replace(/^\{/, `{${JSON.stringify(key)}:{"polluted":1},`);
      expect(accepts(name, JSON.parse(text)), key).toBe(false);
    }
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it.each(names)('%s never throws, whatever JSON comes, and every optional key of the wrong type is refused', (name) => {
    fc.assert(fc.property(fc.jsonValue(), (value) => typeof accepts(name, value) === 'boolean'));
    for (const key of Object.keys(GOOD[name])) {
      for (const wrong of [[], {}, 1.5])
        expect(accepts(name, { ...GOOD[name], [key]: wrong }), `${key}: ${JSON.stringify(wrong)}`).toBe(false);
    }
  });

  it('texts come out well-formed, and NUL is refused in each', () => {
    const texts: [Name, (text: string) => unknown, (value: never) => unknown][] = [
      ['CreateSession', (text) => ({ workspace: text }), (value: { workspace: string }) => value.workspace],
      ['CreateSession', (text) => ({ workspace: '/w', title: text }), (value: { title: string }) => value.title],
      ['CreateSession', (text) => ({ workspace: '/w', model: text }), (value: { model: string }) => value.model],
      [
        'PutInput',
        (text) => ({ content: [{ type: 'text', text }], delivery: 'queue' }),
        (value: { content: { text: string }[] }) => value.content[0]!.text,
      ],
      ['SignIn', (text) => ({ token: 'x', name: text }), (value: { name: string }) => value.name],
    ];
    for (const [name, make, read] of texts) {
      const parsed = SCHEMAS[name].safeParse(make('a\ud800b'));
      expect(parsed.success && read(parsed.data as never), name).toBe('a\ufffdb');
      expect(accepts(name, make('a\0b')), name).toBe(false);
    }
  });

  it('bounds are the shared table’s', () => {
    const input = (content: unknown): unknown => ({ content, delivery: 'steer' });
    const words = (text: string): unknown => ({ type: 'text', text });
    expect(accepts('PutInput', input([]))).toBe(false);
    expect(accepts('PutInput', input([words(' \n')]))).toBe(false);
    expect(accepts('PutInput', input([words('x'.repeat(LIMITS.inputTextBytes))]))).toBe(true);
    expect(accepts('PutInput', input([words('x'.repeat(LIMITS.inputTextBytes + 1))]))).toBe(false);
    expect(accepts('PutInput', input(Array.from({ length: LIMITS.inputParts }, () => words('x'))))).toBe(true);
    expect(accepts('PutInput', input(Array.from({ length: LIMITS.inputParts + 1 }, () => words('x'))))).toBe(false);
    expect(accepts('CreateSession', { workspace: `/${'x'.repeat(LIMITS.pathChars)}` })).toBe(false);
    expect(accepts('PatchSession', { title: 'x'.repeat(LIMITS.titleChars + 1) })).toBe(false);
    expect(accepts('UpFrameSchema', { ...GOOD.UpFrameSchema, after: -1 })).toBe(false);
    expect(accepts('UpFrameSchema', { ...GOOD.UpFrameSchema, sessionId: ID.toUpperCase() })).toBe(false);
  });
});

describe('the table of errors', () => {
  it('has an HTTP failure for each code; only what may pass by itself is worth a retry', () => {
    for (const [code, { status, retryable }] of Object.entries(ERRORS)) {
      expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(600);
      expect(retryable, code).toBe(status === 429 || (status >= 500 && status !== 501));
    }
  });
  it('an error is answered as its envelope, with details only where there are any', () => {
    for (const code of Object.keys(ERRORS) as ErrorCode[]) {
      const error = new CodedError(code, 'words');
      expect(error.status).toBe(ERRORS[code].status);
      expect(error.toBody()).toEqual({ error: { code, message: 'words', retryable: ERRORS[code].retryable } });
      expect(new CodedError(code, 'words', { limit: 1 }).toBody().error.details).toEqual({ limit: 1 });
    }
  });
});

describe('routes', () => {
  it('are all the server’s, so that the worker lets them through, and ids cannot leave their segment', () => {
    for (const route of Object.values(ROUTES) as ((...ids: string[]) => string)[]) {
      const path = route('a/../b?c#d', 'e/f');
      expect(path.startsWith(`${API}/`)).toBe(true);
      expect(SERVER_PREFIXES.some((prefix) => path.startsWith(prefix))).toBe(true);
      expect(path).not.toMatch(/\.\.\/|[?#]/);
    }
  });
});

/**
 * What each protocol number means, as a hash of the protocol's files without comments and white space. When this fails:
 * could a client of the number before misread an answer? Then raise PROTOCOL and add its line. If the change only adds
 * what old clients ignore, put the new hash in the line of the number that stands.
 */
const MEANT: Record<number, string> = {
  1: '33934e7169d8d912',
};

describe('the protocol', () => {
  it('changes only together with its number', () => {
    const folder = resolve(import.meta.dirname, '../../shared/protocol');
    const files = readdirSync(folder).toSorted();
    const code = files.map((file) => {
      const text = readFileSync(join(folder, file), 'utf8');
      return `${file}\n${text.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/[^\n]*/g, '').replace(/\s+/g, ' ')}`;
    });
    expect(createHash('sha256').update(code.join('\n')).digest('hex').slice(0, 16)).toBe(MEANT[PROTOCOL]);
    expect(PROTOCOL_MINIMUM).toBeLessThanOrEqual(PROTOCOL);
    expect(Object.keys(MEANT).map(Number)).toContain(PROTOCOL_MINIMUM);
  });
});
