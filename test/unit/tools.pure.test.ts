import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Timers } from '#shared/ports.ts';
import { MODES } from '#shared/protocol/records.ts';
import { childEnv } from '../../server/tools/child-env.ts';
import { createKnownFiles } from '../../server/tools/known.ts';
import { Batcher, BoundedOutput, prefixWithin, suffixWithin } from '../../server/tools/output.ts';
import { decide, rememberKey } from '../../server/tools/policy.ts';

describe('policy', () => {
  it('is the table: what each mode lets run, asks about and refuses', () => {
    const table = MODES.map((mode) => [mode, ...(['read', 'write', 'run'] as const).map((effect) => decide(mode, effect, false))]);
    expect(table).toEqual([
      ['ask', 'run', 'ask', 'ask'],
      ['accept-edits', 'run', 'run', 'ask'],
      ['plan', 'run', 'refuse', 'refuse'],
      ['auto', 'run', 'run', 'run'],
    ]);
  });
  it('what was remembered spares the question and lifts no refusal', () => {
    for (const mode of MODES) {
      for (const effect of ['read', 'write', 'run'] as const) {
        const before = decide(mode, effect, false);
        expect(decide(mode, effect, true)).toBe(before === 'ask' ? 'run' : before);
      }
    }
  });
  it('"always" for a command is that very command, for an edit the tool', () => {
    const run = { name: 'run', effect: 'run' as const };
    expect(rememberKey(run, { command: 'git status' })).toBe(rememberKey(run, { command: 'git status', timeout: 5 }));
    expect(rememberKey(run, { command: 'git status; rm -rf .' })).not.toBe(rememberKey(run, { command: 'git status' }));
    expect(rememberKey(run, {})).not.toBe(rememberKey(run, { command: 'null' }));
    const write = { name: 'write', effect: 'write' as const };
    expect(rememberKey(write, { path: 'a' })).toBe(rememberKey(write, { path: 'b' }));
    expect(rememberKey(write, {})).not.toBe(rememberKey({ name: 'edit', effect: 'write' }, {}));
  });
});

const text = fc.string({ unit: fc.constantFrom('a', 'é', '€', '😀', '\n'), maxLength: 12 });
const bytes = (value: string): number => Buffer.byteLength(value);

describe('bounded output', () => {
  it('cuts at bytes, never within a character, and as late as can be', () => {
    fc.assert(
      fc.property(text, fc.nat(30), (value, limit) => {
        const head = prefixWithin(value, limit);
        const tail = suffixWithin(value, limit);
        expect(value.startsWith(head) && value.endsWith(tail)).toBe(true);
        for (const part of [head, tail]) {
          expect(part.isWellFormed()).toBe(true);
          expect(bytes(part)).toBeLessThanOrEqual(limit);
          expect(part === value || bytes(part) + 4 > limit).toBe(true);
        }
      }),
    );
  });

  it('keeps everything that fits, else head and tail with the exact number of bytes between', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 12 }), fc.nat(40), fc.nat(40), (parts, headBytes, tailBytes) => {
        const whole = parts.join('');
        let said = '';
        const head = { left: headBytes };
        const output = new BoundedOutput(head, tailBytes, (piece) => (said += piece));
        for (const part of parts) output.write(part);
        const live = said;
        const truncated = output.end();
        const note = /\n\[… (\d+) bytes left out …\]\n/.exec(said);
        expect(truncated).toBe(note !== null);
        expect(whole.startsWith(live)).toBe(true);
        expect(bytes(live)).toBeLessThanOrEqual(headBytes);
        const left = Number(note?.[1] ?? 0);
        const kept = said.replace(note?.[0] ?? '', '');
        expect(bytes(kept) + left).toBe(bytes(whole));
        expect(whole.endsWith(kept.slice(live.length))).toBe(true);
        expect(truncated || said === whole).toBe(true);
        expect(bytes(said.slice(live.length)) - (note === null ? 0 : bytes(note[0]))).toBeLessThanOrEqual(tailBytes);
      }),
    );
  });

  it('holds no more than its tail and one piece, whatever is written', () => {
    const output = new BoundedOutput({ left: 0 }, 100, () => {});
    const before = process.memoryUsage().heapUsed;
    for (let n = 0; n < 200_000; n++) output.write(`line ${n} ${'x'.repeat(50)}\n`);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 1024 * 1024);
    expect(output.end()).toBe(true);
  });

  it('two streams that share a head pass on no more than it together, each in its order', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), text), { maxLength: 12 }), fc.nat(30), (parts, headBytes) => {
        const head = { left: headBytes };
        const said = { a: '', b: '' };
        const a = new BoundedOutput(head, 1000, (piece) => (said.a += piece));
        const b = new BoundedOutput(head, 1000, (piece) => (said.b += piece));
        for (const [first, part] of parts) (first ? a : b).write(part);
        expect(bytes(said.a) + bytes(said.b)).toBeLessThanOrEqual(headBytes);
        a.end();
        b.end();
        const of = (first: boolean): string => parts.flatMap(([mine, part]) => (mine === first ? [part] : [])).join('');
        expect([said.a, said.b]).toEqual([of(true), of(false)]);
      }),
    );
  });

  it('a batcher passes everything on, in order, once per pause or when it is full', () => {
    const waiting: (() => void)[] = [];
    const timers: Timers = { after: (_ms, callback) => (waiting.push(callback), () => waiting.splice(waiting.indexOf(callback), 1)) };
    const said: string[] = [];
    const batcher = new Batcher(timers, 20, 5, (piece) => said.push(piece));
    batcher.write('ab');
    batcher.write('cd');
    expect([said, waiting.length]).toEqual([[], 1]);
    waiting[0]!();
    batcher.write('efghij');
    batcher.write('k');
    batcher.flush();
    expect([said, waiting.length]).toEqual([['abcd', 'efghij', 'k'], 0]);
  });
});

it('a command’s environment keeps the user’s own and drops every secret of ours, in any case', () => {
  const env = childEnv({
    PATH: '/bin',
    HOME: '/h',
    CAIRN_TOKEN: 't',
    cairn_token: 't',
    ANTHROPIC_API_KEY: 'k',
    npm_package_name: 'cairn',
    npm_config_registry: 'r',
    EDITOR: 'vi',
    GONE: undefined,
  });
  expect(env).toMatchObject({ PATH: '/bin', HOME: '/h', npm_config_registry: 'r', TERM: 'dumb' });
  expect(Object.keys(env).filter((name) => /cairn|anthropic|npm_package|GONE/i.test(name))).toEqual([]);
  expect(env['EDITOR']).not.toBe('vi');
});

it('what a session saw is forgotten oldest first, past the bound', () => {
  const known = createKnownFiles(2);
  known.saw('s', 'a', '1');
  known.saw('s', 'b', '2');
  known.saw('s', 'a', '3');
  known.saw('s', 'c', '4');
  expect([known.seen('s', 'a'), known.seen('s', 'b'), known.seen('s', 'c'), known.seen('other', 'a')]).toEqual(['3', null, '4', null]);
});

it('work on one file goes one after another, past a failure too; on two files side by side', async () => {
  const known = createKnownFiles();
  const log: string[] = [];
  const work =
    (name: string, fails = false) =>
    async () => {
      log.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve, 5));
      log.push(`${name} ends`);
      if (fails) throw new Error(name);
    };
  const all = await Promise.allSettled([known.alone('f', work('1', true)), known.alone('f', work('2')), known.alone('g', work('3'))]);
  expect(all.map((one) => one.status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  expect(log).toEqual(
    ['1 begins', '3 begins', '1 ends', '2 begins', '3 ends', '2 ends'].toSorted((a, b) => log.indexOf(a) - log.indexOf(b)),
  );
  expect(log.indexOf('2 begins')).toBeGreaterThan(log.indexOf('1 ends'));
  expect(log.indexOf('3 begins')).toBeLessThan(log.indexOf('1 ends'));
});
