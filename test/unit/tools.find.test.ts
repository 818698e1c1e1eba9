import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '#shared/protocol/limits.ts';
import { parseIgnore, verdictOf } from '../../server/tools/gitignore.ts';
import { createBench, type Bench } from '../support/tools/bench.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await createBench();
});
afterEach(() => bench.dispose());
const at = (name: string): string => join(bench.ws, name);

describe('list', () => {
  it('names folders first, and what is left out only in a last line', async () => {
    for (const name of ['src', 'node_modules', 'dist', '.git', 'empty']) await mkdir(at(name));
    for (const name of ['b.txt', 'a.txt', 'x.log', '.env', 'src/s.log', 'node_modules/pkg.js']) await writeFile(at(name), '');
    await writeFile(at('.gitignore'), 'node_modules/\n/dist\n*.log\n!keep.log\n');
    await writeFile(at('src/keep.log'), '');
    expect((await bench.call('list', {})).result).toBe(
      'empty/\nsrc/\n.env\n.gitignore\na.txt\nb.txt\n[left out by .gitignore: dist, node_modules, x.log]\n',
    );
    expect((await bench.call('list', { path: 'src' })).result).toBe('keep.log\n[left out by .gitignore: s.log]\n');
    expect((await bench.call('list', { path: 'node_modules' })).result).toBe('pkg.js\n');
    expect((await bench.call('list', { path: 'empty' })).result).toBe('(empty folder)\n');
    expect((await bench.call('list', { path: 'a.txt' })).result).toBe('a.txt is a file: use read.');
  });

  it('is bounded, and a name cannot break its line', async () => {
    for (let n = 0; n < 1100; n++) await writeFile(at(`file ${String(n).padStart(4, '0')}`), '');
    const { result, end } = await bench.call('list', {});
    expect(end.truncated).toBe(true);
    expect(result).toContain('[… 100 more entries');
    expect(Buffer.byteLength(result)).toBeLessThanOrEqual(LIMITS.toolOutputBytes);
    await mkdir(at('odd'));
    await writeFile(at('odd/two\nlines'), '');
    expect((await bench.call('list', { path: 'odd' })).result).toBe('"two\\nlines"\n');
  });

  it('reads .gitignore as git does', () => {
    execFileSync('git', ['init', '-q'], { cwd: bench.ws });
    const word = fc.constantFrom('a', 'b', 'ab', '*', '?', 'a*', '**', '[ab]', '[!a]', '[a-b]x', 'x.y', '\\*', 'a b');
    const pattern = fc
      .tuple(fc.constantFrom('', '!', '/', '!/'), fc.array(word, { minLength: 1, maxLength: 3 }), fc.constantFrom('', '/'))
      .map(([start, words, end]) => start + words.join('/') + end);
    const name = fc.constantFrom('a', 'b', 'ab', 'ax', 'x.y', '*', 'c', 'a b');
    const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
    fc.assert(
      fc.property(
        fc.array(pattern, { minLength: 1, maxLength: 4 }),
        fc.uniqueArray(path, { minLength: 20, maxLength: 40 }),
        (patterns, targets) => {
          const rules = parseIgnore(patterns.join('\n'));
          // As list goes: a folder that is left out takes what is in it along.
          const ours = targets.filter((target) => {
            const parts = target.split('/');
            return parts.some((_, n) => verdictOf(rules, parts.slice(0, n + 1).join('/'), n + 1 < parts.length) === 'ignored');
          });
          writeFileSync(at('.gitignore'), patterns.join('\n'));
          // Exits with 1 when nothing is left out, which is no failure.
          const git = spawnSync('git', ['check-ignore', '--no-index', '-z', '--stdin'], {
            cwd: bench.ws,
            encoding: 'utf8',
            input: targets.map((target) => `${target}\0`).join(''),
          });
          expect([patterns, ours]).toEqual([patterns, git.stdout.split('\0').filter((target) => target !== '')]);
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe('search', () => {
  it('answers path:line:text in the order of paths, under a folder or a glob', async () => {
    await mkdir(at('src'));
    await writeFile(at('src/b.ts'), 'const needle = 1;\n');
    await writeFile(at('src/a.md'), 'x\nneedle\n');
    await writeFile(at('z.ts'), 'needle');
    await writeFile(at('left.log'), 'needle');
    await writeFile(at('.hidden'), 'needle');
    await writeFile(at('.gitignore'), '*.log\n');
    await writeFile(at('bin'), Buffer.from('needle\0\x01'));
    expect((await bench.call('search', { pattern: 'needle' })).result).toBe(
      'src/a.md:2:needle\nsrc/b.ts:1:const needle = 1;\nz.ts:1:needle\n',
    );
    expect((await bench.call('search', { pattern: 'needle', path: 'src' })).result).toBe(
      'src/a.md:2:needle\nsrc/b.ts:1:const needle = 1;\n',
    );
    expect((await bench.call('search', { pattern: 'needle', glob: '*.ts' })).result).toBe('src/b.ts:1:const needle = 1;\nz.ts:1:needle\n');
    expect((await bench.call('search', { pattern: 'needle', path: 'z.ts' })).result).toBe('z.ts:1:needle\n');
    const none = await bench.call('search', { pattern: 'absent' });
    expect([none.end.isError, none.result]).toEqual([false, 'No matches.']);
    const odd = await bench.call('search', { pattern: '--files' });
    expect([odd.end.isError, odd.result]).toEqual([false, 'No matches.']);
    const wrong = await bench.call('search', { pattern: '(' });
    expect(wrong.end.isError).toBe(true);
    expect(wrong.result).toMatch(/regex parse error/);
  });

  it('is bounded in lines and bytes, and says so', async () => {
    await writeFile(at('many'), 'needle\n'.repeat(100_000));
    const many = await bench.call('search', { pattern: 'needle' });
    expect(many.end).toEqual({ isError: false, truncated: true });
    expect(many.result).toMatch(/left out after 500/);
    await writeFile(at('many'), `${'é'.repeat(5000)}needle\n`.repeat(1000));
    const wide = await bench.call('search', { pattern: 'needle' });
    expect(wide.end.truncated).toBe(true);
    expect(Buffer.byteLength(wide.result)).toBeLessThanOrEqual(LIMITS.toolOutputBytes);
  });

  it('ends when it is stopped', async () => {
    const controller = new AbortController();
    await writeFile(at('f'), 'x');
    const call = bench.call('search', { pattern: 'x', path: '.' }, { signal: controller.signal });
    controller.abort();
    expect((await call).end).toMatchObject({ isError: true });
  });
});
