/** `list`: the entries of one folder. */
import type { Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { path } from './args.ts';
import { codeOf, faultOf, ToolFault } from './fault.ts';
import { parseIgnore, verdictOf, type IgnoreRule } from './gitignore.ts';
import { isInside, locate, shownIn, type Ground } from './paths.ts';
import { summaryOf } from './summary.ts';
import type { ToolBody } from './tool.ts';

const MAX_ENTRIES = 1000;
const MAX_IGNORED_NAMED = 12;
const MAX_IGNORE_BYTES = 256 * 1024;

export const listTool: ToolBody = {
  name: 'list',
  description:
    'Lists one folder of the workspace, a name a line; folders end in a slash. What .gitignore leaves out is only named in a last line; ' +
    'list such a folder by its path to see into it.',
  inputSchema: {
    type: 'object',
    properties: { path: { type: 'string', description: 'Folder, relative to the workspace; the workspace itself if left out.' } },
    required: [],
    additionalProperties: false,
  },
  effect: 'read',
  summary: (args) => summaryOf(args['path'], '.'),
  async run({ args, ground, say }) {
    const place = await locate(ground, path(args, '.'));
    let found: Dirent[];
    try {
      found = await readdir(place.real, { withFileTypes: true });
    } catch (error) {
      if (codeOf(error) === 'ENOTDIR') throw new ToolFault(`${place.shown} is a file: use read.`);
      throw faultOf(error, place.shown);
    }
    const entries = found.filter((entry) => entry.name !== '.git' && !isInside(ground.dataDir, join(place.real, entry.name)));
    const ignored = await ignoredIn(ground, place.real, entries);
    const shown = entries.filter((entry) => !ignored.has(entry.name));
    const named = shown
      .toSorted((a, b) => Number(b.isDirectory()) - Number(a.isDirectory()) || byName(a.name, b.name))
      .slice(0, MAX_ENTRIES);
    const lines = await Promise.all(named.map(async (entry) => plainName(entry.name) + (await markOf(entry, place.real, ground))));
    if (lines.length === 0) lines.push(ignored.size === 0 ? '(empty folder)' : '(nothing but what is left out)');
    if (shown.length > named.length) lines.push(`[… ${shown.length - named.length} more entries; list a folder below, or use search …]`);
    if (ignored.size > 0) lines.push(leftOut([...ignored]));
    say(`${lines.join('\n')}\n`);
    return shown.length > named.length ? { isError: false, truncated: true } : { isError: false };
  },
};

/** Names of entries that a `.gitignore` between the workspace and the folder leaves out; none in a folder that is itself left out. */
async function ignoredIn(ground: Ground, folder: string, entries: readonly Dirent[]): Promise<Set<string>> {
  const files = await rulesAbove(ground, folder);
  const isIgnored = (real: string, isFolder: boolean): boolean => {
    for (const { at, rules } of files) {
      if (real === at || !isInside(at, real)) continue;
      const verdict = verdictOf(rules, shownIn(at, real), isFolder);
      if (verdict !== null) return verdict === 'ignored';
    }
    return false;
  };
  for (let at = folder; at !== ground.root; at = dirname(at)) if (isIgnored(at, true)) return new Set();
  return new Set(entries.filter((entry) => isIgnored(join(folder, entry.name), entry.isDirectory())).map((entry) => entry.name));
}

/** The `.gitignore` files that have a say in `folder`, nearest first. */
async function rulesAbove(ground: Ground, folder: string): Promise<{ at: string; rules: IgnoreRule[] }[]> {
  const files: { at: string; rules: IgnoreRule[] }[] = [];
  for (let at = folder; isInside(ground.root, at); at = dirname(at)) {
    const file = join(at, '.gitignore');
    try {
      const facts = await stat(file);
      if (facts.isFile() && facts.size <= MAX_IGNORE_BYTES) files.push({ at, rules: parseIgnore(await readFile(file, 'utf8')) });
    } catch (error) {
      // A folder without such a file, or one that may not be read, has no say; anything else is a fault.
      if (!['ENOENT', 'EACCES', 'ELOOP'].includes(codeOf(error) ?? '')) throw error;
    }
    if (at === dirname(at)) break;
  }
  return files;
}

/** `/` for a folder, or for a link to one that stays inside. */
async function markOf(entry: Dirent, folder: string, ground: Ground): Promise<string> {
  if (entry.isDirectory()) return '/';
  if (!entry.isSymbolicLink()) return '';
  try {
    const target = await locate(ground, join(folder, entry.name));
    return (await stat(target.real)).isDirectory() ? '/' : '';
  } catch (error) {
    if (error instanceof ToolFault || codeOf(error) !== null) return ' (link to outside, or to nothing)';
    throw error;
  }
}

function leftOut(names: string[]): string {
  const first = names.toSorted(byName).slice(0, MAX_IGNORED_NAMED).map(plainName).join(', ');
  return `[left out by .gitignore: ${first}${names.length > MAX_IGNORED_NAMED ? ` and ${names.length - MAX_IGNORED_NAMED} more` : ''}]`;
}

/** By code unit: the same on every machine, whatever its locale. */
function byName(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A name that would break the one-a-line shape is quoted. */
function plainName(name: string): string {
  return /\p{Cc}/u.test(name) ? JSON.stringify(name) : name;
}
