import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '#shared/protocol/limits.ts';
import { diffOfEdit } from '../../server/tools/diff-text.ts';
import { applyEdit } from '../../server/tools/edit-text.ts';
import { createBench, type Bench } from '../support/tools/bench.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await createBench();
});
afterEach(() => bench.dispose());
const at = (name: string): string => join(bench.ws, name);

describe('B47: an edit touches nothing but its place', () => {
  it.each([
    ['CRLF', 'one\r\ntwo\r\nthree\r\nfour\r\n', 'one\r\nTWO\r\nand\r\nTHREE\r\nfour\r\n'],
    ['mixed', 'one\ntwo\r\nthree\nfour\r\n', 'one\nTWO\r\nand\nTHREE\nfour\r\n'],
    ['byte order mark', '\ufeffone\ntwo\nthree\nfour\n', '\ufeffone\nTWO\nand\nTHREE\nfour\n'],
    ['no final newline', 'two\r\nthree', 'TWO\r\nand\r\nTHREE'],
    ['CR alone', 'one\rtwo\nthree\n\rfour', 'one\rTWO\nand\nTHREE\n\rfour'],
  ])('%s: two lines become three', async (_name, before, after) => {
    await writeFile(at('f'), before);
    const shown = (await bench.call('read', { path: 'f' })).result;
    expect(shown).toBe(before.replace('\ufeff', '').replaceAll('\r\n', '\n'));
    const { end, result } = await bench.call('edit', { path: 'f', old: 'two\nthree', new: 'TWO\nand\nTHREE' });
    expect([end.isError, result.slice(0, 9)]).toEqual([false, '--- a/f\n+']);
    expect(await readFile(at('f'), 'utf8')).toBe(after);
  });

  it('for any text, place and replacement: what is outside is byte for byte as it was, and the lines read as asked', () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'b', ' ', 'é', '😀'), maxLength: 4 });
    const ending = fc.constantFrom('\n', '\r\n');
    const text = fc.array(fc.tuple(line, ending), { maxLength: 6 }).map((lines) => lines.map((pair) => pair.join('')).join(''));
    const flat = (value: string): string => value.replaceAll('\r\n', '\n');
    fc.assert(
      fc.property(text, text, text, text, (head, middle, tail, wished) => {
        const old = `<${middle}>`;
        const outcome = applyEdit(head + old + tail, flat(old), flat(wished));
        fc.pre(flat(old) !== flat(wished));
        if (!outcome.ok) throw new Error(outcome.reason);
        expect(outcome.text.startsWith(head)).toBe(true);
        expect(outcome.text.endsWith(tail)).toBe(true);
        expect(outcome.text.length).toBeGreaterThanOrEqual(head.length + tail.length);
        expect(flat(outcome.text)).toBe(flat(head + wished + tail));
        // A file that has one kind of line ending keeps it.
        const kinds = (value: string): string[] => [...new Set(value.match(/\r?\n/g))];
        const before = kinds(head + old + tail);
        expect(before.length !== 1 || kinds(outcome.text).every((kind) => kind === before[0])).toBe(true);
      }),
    );
  });

  it('refuses what is not there, what is there more than once, and what changes nothing', async () => {
    await writeFile(at('f'), 'aXa\naXa\n');
    for (const [old, now, words] of [
      ['b', 'c', /does not occur/],
      ['X', 'c', /occurs 2 times/],
      ['', 'c', /empty/],
      ['aXa\naXa', 'aXa\naXa', /the same/],
    ] as const) {
      const { end, result } = await bench.call('edit', { path: 'f', old, new: now });
      expect(end.isError).toBe(true);
      expect(result).toMatch(words);
    }
    expect(await readFile(at('f'), 'utf8')).toBe('aXa\naXa\n');
    expect((await bench.call('edit', { path: 'none', old: 'a', new: 'b' })).result).toMatch(/There is no file/);
  });

  it('its diff is one that patch applies, wherever the place is', () => {
    const text = Array.from({ length: 40 }, (_, n) => `line ${n}\n`).join('');
    for (const [old, now] of [
      ['line 0\n', ''],
      ['line 1\n', 'first\nsecond\n'],
      ['line 20\nline 21\n', 'both\n'],
      ['line 39\n', 'end without a break'],
      ['line 5', 'fifth'],
    ] as const) {
      const outcome = applyEdit(text, old, now);
      if (!outcome.ok) throw new Error(outcome.reason);
      const diff = diffOfEdit('f', outcome.before, outcome.start, outcome.end, outcome.insert)!;
      expect(diff).toMatch(/^--- a\/f\n\+\+\+ b\/f\n@@ -\d+/);
      expect(diff.split('\n').length).toBeLessThan(16);
      execFileSync('mkdir', ['-p', at('p')]);
      execFileSync('sh', ['-c', 'printf %s "$TEXT" > f; git apply --unsafe-paths --whitespace=nowarn -'], {
        cwd: at('p'),
        input: diff,
        env: { ...process.env, TEXT: text, GIT_CEILING_DIRECTORIES: bench.base },
      });
      expect(execFileSync('cat', [at('p/f')], { encoding: 'utf8' })).toBe(text.replace(old, now));
    }
  });
});

describe('B50: nothing is overwritten that the agent has not seen as it is', () => {
  it('a file that changed since it was read is refused, though its size and time are the same', async () => {
    await writeFile(at('f'), 'alpha');
    const { mtime, atime } = await stat(at('f'));
    await bench.call('read', { path: 'f' });
    await writeFile(at('f'), 'gamma');
    await utimes(at('f'), atime, mtime);
    for (const [name, args] of [
      ['write', { path: 'f', content: 'mine!' }],
      ['edit', { path: 'f', old: 'gamma', new: 'mine!' }],
    ] as const) {
      const { end, result } = await bench.call(name, args);
      expect(end.isError).toBe(true);
      expect(result).toMatch(/re-read/);
    }
    expect(await readFile(at('f'), 'utf8')).toBe('gamma');
    await bench.call('read', { path: 'f' });
    expect((await bench.call('write', { path: 'f', content: 'mine!' })).end.isError).toBe(false);
    expect(await readFile(at('f'), 'utf8')).toBe('mine!');
  });

  it('of two at the same time the second is refused', async () => {
    await writeFile(at('f'), 'base');
    await bench.call('read', { path: 'f' });
    const both = await Promise.all(['one', 'two'].map((content) => bench.call('write', { path: 'f', content })));
    expect(both.filter((call) => !call.end.isError)).toHaveLength(1);
    expect(both.find((call) => call.end.isError)!.result).toMatch(/re-read/);
    const fresh = await Promise.all(['one', 'two'].map((content) => bench.call('write', { path: 'new', content })));
    expect(fresh.filter((call) => !call.end.isError)).toHaveLength(1);
    expect(await readFile(at('new'), 'utf8')).toBe(fresh[0]!.end.isError ? 'two' : 'one');
  });

  it('own edits in a row pass, each with its diff', async () => {
    expect((await bench.call('write', { path: 'f', content: 'a\nb\n' })).result).toMatch(/^Created f \(2 lines, 4 bytes\)/);
    expect((await bench.call('edit', { path: 'f', old: 'a', new: 'c' })).result).toContain('-a\n+c\n');
    expect((await bench.call('edit', { path: 'f', old: 'b', new: 'd' })).end.isError).toBe(false);
    expect((await bench.call('write', { path: 'f', content: 'e\n' })).result).toMatch(/^Replaced f/);
    expect(await readFile(at('f'), 'utf8')).toBe('e\n');
  });

  it('what another session saw, or this one before a restart, does not count', async () => {
    await bench.call('write', { path: 'f', content: 'a' });
    expect((await bench.call('write', { path: 'f', content: 'b' }, { session: 's2' })).result).toMatch(/not read in this session/);
    bench.renew();
    expect((await bench.call('write', { path: 'f', content: 'b' })).result).toMatch(/not read in this session/);
    expect(await readFile(at('f'), 'utf8')).toBe('a');
    expect((await bench.call('write', { path: 'f', content: 'a' })).result).toMatch(/exactly this already/);
  });

  it('mode bits stay, no other file is left, and a link stays a link', async () => {
    await writeFile(at('script'), '#!/bin/sh\n');
    await chmod(at('script'), 0o751);
    await symlink('script', at('alias'));
    await bench.call('edit', { path: 'alias', old: '/bin/sh', new: '/bin/bash' });
    expect(await readFile(at('script'), 'utf8')).toBe('#!/bin/bash\n');
    expect((await stat(at('script'))).mode & 0o7777).toBe(0o751);
    expect(await readdir(bench.ws)).toEqual(['alias', 'script']);
    await mkdir(at('folder'));
    expect((await bench.call('write', { path: 'folder', content: 'x' })).result).toMatch(/folder/);
    expect((await readdir(bench.ws)).toSorted()).toEqual(['alias', 'folder', 'script']);
  });
});

describe('read', () => {
  it('R14: what is not text is refused in a few words, and NUL reaches no result', async () => {
    await writeFile(at('nul'), Buffer.from([0x61, 0, 0x62]));
    await writeFile(at('latin'), Buffer.from([0x61, 0xe9, 0x62]));
    await writeFile(at('utf16'), Buffer.from('\ufeffhello', 'utf16le'));
    await writeFile(at('cut'), Buffer.from([0x61, 0xe2, 0x82]));
    for (const name of ['nul', 'latin', 'utf16', 'cut']) {
      for (const call of [await bench.call('read', { path: name }), await bench.call('edit', { path: name, old: 'a', new: 'b' })]) {
        expect(call.end.isError, name).toBe(true);
        expect(call.result).toMatch(/binary|UTF-8/);
        expect(call.result.length).toBeLessThan(120);
      }
    }
    await writeFile(at('late'), `${'x\n'.repeat(10_000)}a\0b\ud83d`);
    const { result } = await bench.call('read', { path: 'late', from: 10_001 });
    expect(result).not.toContain('\0');
    expect(result).toMatch(/^ab/);
    await writeFile(at('split'), `${'x'.repeat(8 * 1024 - 1)}é\n`);
    expect((await bench.call('read', { path: 'split' })).end.isError).toBe(false);
  });

  it('gives the lines asked for and says where to go on', async () => {
    await writeFile(at('f'), Array.from({ length: 10 }, (_, n) => `line ${n + 1}\n`).join(''));
    expect((await bench.call('read', { path: 'f', from: 3, lines: 2 })).result).toBe(
      'line 3\nline 4\n[lines 3-4 of 10; go on with from: 5]',
    );
    expect((await bench.call('read', { path: 'f', from: '9' })).result).toBe('line 9\nline 10\n[lines 9-10 of 10]');
    expect((await bench.call('read', { path: 'f', from: 11 })).result).toBe('(f has only 10 lines)');
    await writeFile(at('empty'), '');
    expect((await bench.call('read', { path: 'empty' })).result).toBe('(empty is empty)');
    expect((await bench.call('read', { path: '.' })).result).toMatch(/is a folder/);
  });

  it('is bounded, ends at a line, and every part put together is the file', async () => {
    const text = Array.from({ length: 5000 }, (_, n) => `${n} ${'é'.repeat(n % 30)}\n`).join('');
    await writeFile(at('big'), text);
    let together = '';
    for (let from = 1; from !== 0;) {
      const { result, end } = await bench.call('read', { path: 'big', from });
      expect(Buffer.byteLength(result)).toBeLessThanOrEqual(LIMITS.toolOutputBytes);
      const note = /\[lines \d+-\d+ of 5000(?:; go on with from: (\d+))?\]$/.exec(result)!;
      together += result.slice(0, note.index);
      from = Number(note[1] ?? 0);
      expect(from === 0 || end.truncated === true || result.split('\n').length === 2001).toBe(true);
    }
    expect(together).toBe(text);
    await writeFile(at('wide'), 'x'.repeat(1_000_000));
    expect((await bench.call('read', { path: 'wide' })).result).toMatch(/x\[… 996000 more characters in this line …\]$/);
  });

  it('does not wait on a pipe or a device', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    for (const name of ['read', 'edit', 'write']) {
      const { end, result } = await bench.call(name, { path: 'pipe', old: 'a', new: 'b', content: 'x' });
      expect(end.isError).toBe(true);
      expect(result).toMatch(/not a regular file/);
    }
  });
});
