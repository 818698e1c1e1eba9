/**
 * Which names a `.gitignore` leaves out. Pure; the rules are git's own (gitignore(5)): the last line that matches decides,
 * `!` takes back, a slash at the end means folders only, a slash before that anchors the line to its file's folder.
 */
export interface IgnoreRule {
  pattern: RegExp;
  negated: boolean;
  foldersOnly: boolean;
}

/** The rules of one file, in order. Lines that are no pattern, or cannot be one, are skipped, as git does. */
export function parseIgnore(text: string): IgnoreRule[] {
  const rules: IgnoreRule[] = [];
  for (const raw of text.split('\n')) {
    let line = raw.replace(/\r$/, '').replace(/(?<!\\) +$/, '');
    if (line === '' || line.startsWith('#')) continue;
    const negated = line.startsWith('!');
    if (negated) line = line.slice(1);
    const foldersOnly = line.endsWith('/');
    line = line.replace(/\/+$/, '');
    if (line === '') continue;
    const anchored = line.includes('/');
    const source = sourceOf(line.replace(/^\//, ''));
    if (source !== null) rules.push({ pattern: new RegExp(`^${anchored ? '' : '(?:.*/)?'}${source}$`, 'su'), negated, foldersOnly });
  }
  return rules;
}

/**
 * What the rules say of `path`, relative to the folder of their file, with forward slashes. `null`: nothing, so that a
 * file further up decides.
 */
export function verdictOf(rules: readonly IgnoreRule[], path: string, isFolder: boolean): 'ignored' | 'kept' | null {
  for (const rule of rules.toReversed()) {
    if ((isFolder || !rule.foldersOnly) && rule.pattern.test(path)) return rule.negated ? 'kept' : 'ignored';
  }
  return null;
}

/** A pattern as the source of a regular expression; null: not a pattern. */
function sourceOf(glob: string): string | null {
  let source = '';
  for (let at = 0; at < glob.length; at++) {
    const char = glob[at]!;
    if (char === '*') {
      const stars = /^\*+/.exec(glob.slice(at))![0].length;
      const alone = stars === 2 && (at === 0 || glob[at - 1] === '/');
      if (alone && glob[at + 2] === '/') {
        source += '(?:.*/)?';
        at += 2;
      } else if (alone && at + 2 === glob.length) {
        source += '.+';
        at += 1;
      } else {
        source += '[^/]*';
        at += stars - 1;
      }
    } else if (char === '?') source += '[^/]';
    else if (char === '[') {
      const set = /^\[([!^]?)(\]?(?:\\.|[^\]\\])*)\]/su.exec(glob.slice(at));
      if (set === null || set[2] === '') return null;
      source += `(?!/)[${set[1] === '' ? '' : '^'}${set[2]!.replace(/\\?(.)/gsu, (_, inner: string) => literal(inner))}]`;
      at += set[0].length - 1;
    } else if (char === '\\') {
      if (at + 1 === glob.length) return null;
      source += literal(glob[++at]!);
    } else source += literal(char);
  }
  try {
    return new RegExp(source, 'su').source;
  } catch {
    // Such as a range that runs backwards: git matches nothing by it.
    return null;
  }
}

function literal(char: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(char) ? `\\${char}` : char;
}
