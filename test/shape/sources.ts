/** The project's own source files, as the shape tests read them. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, resolve, sep } from 'node:path';

export const root = resolve(import.meta.dirname, '../..');

export interface Source {
  /** From the project's root, with forward slashes. */
  path: string;
  text: string;
  /** `text` with comments blanked out, so that prose about a rule never breaks it. */
  code: string;
}

/** Files under `folders` whose name ends in one of `endings`. */
export function sources(folders: readonly string[], endings: readonly string[] = ['.ts', '.vue', '.mjs']): Source[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
      .toSorted()
      .map((path) => {
        const text = readFileSync(join(root, path), 'utf8');
        return { path, text, code: withoutComments(text) };
      }),
  );
}

/** Blanks comments, keeping line breaks. A `//` inside a string or after a `:` (an address) is left alone. */
function withoutComments(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\/|<!--[\s\S]*?-->/g, (comment) => comment.replace(/[^\n]/g, ' '))
    .replace(/(^|[\s;{}(,])\/\/[^\n]*/g, '$1');
}

/** What a file imports: packages by name, own files by their path from the root. */
export function importsOf(source: Source): string[] {
  const found = source.code.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*)(['"])([^'"]+)\1/g);
  return [...found].map((match) => {
    const target = match[2] ?? '';
    if (target.startsWith('#shared/')) return target.slice(1);
    if (target.startsWith('.')) return posix.join(dirname(source.path), target);
    return target;
  });
}

/** `path:line` of each match, for a message that can be clicked. */
export function places(source: Source, pattern: RegExp): string[] {
  return source.code.split('\n').flatMap((line, index) => (pattern.test(line) ? [`${source.path}:${index + 1}: ${line.trim()}`] : []));
}
