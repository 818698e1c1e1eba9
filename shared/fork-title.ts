/** What a fork is called until somebody renames it: the same on the device that asks for it and on the server. */
import { LIMITS } from './protocol/limits.ts';
import { cut } from './text.ts';

const MARK = / \(fork(?: (\d{1,6}))?\)$/;

/** "Title (fork)", of a fork "Title (fork 2)", and so on. A session that has no title yet gives none. */
export function forkTitle(title: string): string {
  if (title.trim() === '') return '';
  const mark = MARK.exec(title);
  const suffix = mark === null ? ' (fork)' : ` (fork ${Number(mark[1] ?? 1) + 1})`;
  const name = title.slice(0, mark?.index ?? title.length);
  return `${cut(name, LIMITS.titleChars - suffix.length)}${suffix}`;
}
