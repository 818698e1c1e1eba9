import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBench, type Bench } from '../support/tools/bench.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await createBench();
});
afterEach(() => bench.dispose());

const refused = /outside the workspace|data folder|link to something that does not exist/;

describe('B46: what counts is where a path really leads', () => {
  it('a link that leads outside is no way out, for any tool', async () => {
    const outside = join(bench.base, 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'secret.txt'), 'the secret');
    await symlink(outside, join(bench.ws, 'link'));
    await symlink(join(outside, 'secret.txt'), join(bench.ws, 'file-link'));
    for (const [name, args] of [
      ['read', { path: 'link/secret.txt' }],
      ['read', { path: 'file-link' }],
      ['list', { path: 'link' }],
      ['search', { pattern: 'secret', path: 'link' }],
      ['write', { path: 'link/new.txt', content: 'x' }],
      ['write', { path: 'link/newdir/f', content: 'x' }],
      ['write', { path: 'file-link', content: 'x' }],
      ['edit', { path: 'link/secret.txt', old: 'the', new: 'a' }],
    ] as const) {
      const { end, result } = await bench.call(name, args);
      expect(end.isError, name).toBe(true);
      expect(result, name).toMatch(refused);
      expect(result).not.toContain('the secret');
    }
    expect(await readdir(outside)).toEqual(['secret.txt']);
    expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('the secret');
  });

  it('`..` behind a link goes up from where the link leads, not back into the workspace', async () => {
    const outside = join(bench.base, 'outside', 'deep');
    await mkdir(outside, { recursive: true });
    await symlink(outside, join(bench.ws, 'link'));
    const { end, result } = await bench.call('write', { path: 'link/../x', content: 'x' });
    expect(end.isError).toBe(true);
    expect(result).toMatch(refused);
    expect(await readdir(join(bench.base, 'outside'))).toEqual(['deep']);
    expect(await readdir(bench.ws)).toEqual(['link']);
  });

  it('a sibling whose name only starts like the workspace is outside', async () => {
    await mkdir(`${bench.ws}-evil`);
    for (const path of [`${bench.ws}-evil/f`, '../ws-evil/f', `${bench.base}/f`, '/f-of-cairn', '../../../../../f-of-cairn']) {
      const { end, result } = await bench.call('write', { path, content: 'x' });
      expect([end.isError, result]).toEqual([true, `${path} is outside the workspace.`]);
    }
    expect(await readdir(`${bench.ws}-evil`)).toEqual([]);
  });

  it('a workspace and a root that are links work, and links that stay inside too', async () => {
    const alias = join(bench.base, 'alias');
    await symlink(bench.ws, alias);
    bench.renew([alias]);
    expect(await bench.toolbox.workspace(alias)).toBe(bench.ws);
    await mkdir(join(bench.ws, 'real'));
    await symlink('real', join(bench.ws, 'inner'));
    expect((await bench.call('write', { path: 'inner/f.txt', content: 'hello\n' })).result).toContain('Created real/f.txt');
    expect((await bench.call('read', { path: join(alias, 'inner', 'f.txt') })).result).toBe('hello\n');
    expect((await bench.call('list', {})).result).toBe('real/\ninner/\n');
  });

  it('a link to nothing is not written through', async () => {
    await symlink(join(bench.base, 'not-yet'), join(bench.ws, 'dangling'));
    const { end, result } = await bench.call('write', { path: 'dangling', content: 'x' });
    expect(end.isError).toBe(true);
    expect(result).toMatch(refused);
    expect(await readdir(bench.base)).not.toContain('not-yet');
  });

  it('a link that leads in a circle, and a way through a file, are told plainly', async () => {
    await symlink('loop', join(bench.ws, 'loop'));
    await writeFile(join(bench.ws, 'f'), 'x');
    expect((await bench.call('read', { path: 'loop' })).result).toMatch(/circle/);
    expect((await bench.call('read', { path: 'f/g' })).result).toMatch(/not a folder/);
  });

  it('missing folders are made inside, and only there', async () => {
    expect((await bench.call('write', { path: 'a/b/../c/f.txt', content: 'x' })).end).toEqual({ isError: false });
    expect(await readFile(join(bench.ws, 'a/c/f.txt'), 'utf8')).toBe('x');
    expect((await bench.call('write', { path: 'a/../../ws2/f.txt', content: 'x' })).result).toMatch(/outside/);
    expect(await readdir(bench.base)).toEqual(['data', 'ws']);
  });
});

describe('the data folder is out of reach even inside the workspace', () => {
  it('for every tool, and through a link', async () => {
    const data = join(bench.ws, 'state');
    await mkdir(data);
    await writeFile(join(data, 'token'), 'needle-token');
    await writeFile(join(bench.ws, 'plain.txt'), 'needle-plain');
    await symlink('state', join(bench.ws, 'alias'));
    bench.renew([bench.ws], data);
    for (const [name, args] of [
      ['read', { path: 'state/token' }],
      ['read', { path: 'alias/token' }],
      ['list', { path: 'state' }],
      ['search', { pattern: 'needle', path: 'state' }],
      ['write', { path: 'state/token', content: 'x' }],
    ] as const) {
      const { end, result } = await bench.call(name, args);
      expect([end.isError, /data folder/.test(result)], `${name}: ${result}`).toEqual([true, true]);
    }
    expect((await bench.call('list', {})).result).not.toContain('state');
    expect((await bench.call('search', { pattern: 'needle', glob: '**/*' })).result).toBe('plain.txt:1:needle-plain\n');
    await expect(bench.toolbox.workspace(data)).rejects.toMatchObject({ code: 'bad-workspace' });
    expect((await bench.toolbox.folders(bench.ws)).folders).toEqual([]);
  });
});

describe('workspaces and folders', () => {
  it('a workspace must exist, be a folder, and lie in a root', async () => {
    await writeFile(join(bench.ws, 'file'), '');
    await symlink(bench.base, join(bench.ws, 'up'));
    for (const path of [bench.base, join(bench.ws, 'none'), join(bench.ws, 'file'), join(bench.ws, 'up'), 'ws', '', `${bench.ws}\0`]) {
      await expect(bench.toolbox.workspace(path), path).rejects.toMatchObject({ code: 'bad-workspace' });
    }
    expect(await bench.toolbox.workspace(`${bench.ws}/./`)).toBe(bench.ws);
  });

  it('folders are listed from the roots down, sorted, without hidden ones and files', async () => {
    for (const name of ['b', 'a', '.hidden', 'a/inner']) await mkdir(join(bench.ws, name));
    await writeFile(join(bench.ws, 'file'), '');
    await symlink(bench.base, join(bench.ws, 'up'));
    await symlink('a', join(bench.ws, 'c'));
    bench.renew([bench.ws, join(bench.base, 'gone')]);
    expect(await bench.toolbox.folders(null)).toEqual({ path: null, parent: null, folders: [{ name: 'ws', path: bench.ws }] });
    expect(await bench.toolbox.folders(bench.ws)).toEqual({
      path: bench.ws,
      parent: null,
      folders: [
        { name: 'a', path: join(bench.ws, 'a') },
        { name: 'b', path: join(bench.ws, 'b') },
        { name: 'c', path: join(bench.ws, 'a') },
      ],
    });
    expect(await bench.toolbox.folders(join(bench.ws, 'a'))).toMatchObject({ parent: bench.ws, folders: [{ name: 'inner' }] });
    for (const path of [bench.base, join(bench.ws, 'up'), join(bench.ws, 'none'), join(bench.ws, 'file'), '/']) {
      await expect(bench.toolbox.folders(path), path).rejects.toMatchObject({ code: 'forbidden-path' });
    }
  });

  it('a workspace that is gone is an error result, not a throw', async () => {
    bench.renew([join(bench.base, 'elsewhere')]);
    const { end, result } = await bench.call('list', {});
    expect(end.isError).toBe(true);
    expect(result).toMatch(/workspace cannot be used/);
  });
});

describe('wrong arguments', () => {
  it.each([
    ['read', {}],
    ['read', { path: 7 }],
    ['read', { path: '' }],
    ['read', { path: 'a\0b' }],
    ['read', { path: 'x'.repeat(5000) }],
    ['read', { path: 'f', from: -1 }],
    ['read', { path: 'f', lines: 1.5 }],
    ['write', { path: 'f' }],
    ['write', { path: 'f', content: 'a\0b' }],
    ['write', { path: 'f/', content: 'a' }],
    ['write', { path: '.', content: 'a' }],
    ['edit', { path: 'f', old: 'a' }],
    ['search', { pattern: '' }],
    ['search', { pattern: '(' }],
    ['search', { pattern: 'x', path: 'none' }],
    ['run', {}],
    ['run', { command: ' ' }],
    ['run', { command: 'true', timeout: 'soon' }],
    ['list', { path: 'none' }],
    ['list', { path: { __proto__: null } }],
  ])('%s %j: an error result in words, nothing made', async (name, args) => {
    const { end, result } = await bench.call(name, args as Record<string, unknown>);
    expect(end.isError).toBe(true);
    expect(result).toMatch(/^[^\n]{8,}/);
    expect(bench.reports).toEqual([]);
    expect(await readdir(bench.ws)).toEqual([]);
    expect(typeof bench.toolbox.find(name)!.summary(args as Record<string, unknown>)).toBe('string');
  });

  it('a call that was stopped before it began did not run', async () => {
    const signal = AbortSignal.abort();
    const { end } = await bench.call('write', { path: 'f', content: 'x' }, { signal });
    expect(end).toEqual({ isError: true, outcome: 'not-run' });
    expect(await readdir(bench.ws)).toEqual([]);
  });
});

it('tools come sorted by name, each with an object schema and one line for the card', () => {
  const names = bench.toolbox.tools.map((tool) => tool.name);
  expect(names).toEqual(['edit', 'list', 'read', 'run', 'search', 'write']);
  for (const tool of bench.toolbox.tools) {
    expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    expect(tool.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  }
  const run = bench.toolbox.find('run')!;
  expect(run.summary({ command: 'ls\nrm -rf \u202ex' })).toBe('ls ⏎ rm -rf \\u{202e}x');
  expect(bench.toolbox.find('search')!.summary({ pattern: 'a', path: 'b' })).toBe('a in b');
});
