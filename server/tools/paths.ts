/**
 * Confinement by real path (B46). A path counts as what it really leads to: every link on the way is followed as the system
 * would follow it, and what does not exist yet counts as lying in its deepest existing ancestor. Comparing strings, or
 * collapsing `..` before links are followed, would let a link lead outside.
 */
import { constants } from 'node:fs';
import { lstat, open, realpath, stat, type FileHandle } from 'node:fs/promises';
import { dirname, isAbsolute, join, parse, relative, sep } from 'node:path';
import { codeOf, faultOf, ToolFault } from './fault.ts';

/** Where a call may reach. Both are real paths. */
export interface Ground {
  root: string;
  dataDir: string;
}
export interface Place {
  /** Real path: of the target, or where it would be made. */
  real: string;
  exists: boolean;
  /** For messages: relative to the workspace, `.` for the workspace itself. */
  shown: string;
}

/** True for `folder` itself and all below it. Both are real, absolute paths. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/**
 * Where `path` (relative to the workspace, or absolute) really leads. Throws `ToolFault` when that is outside the
 * workspace or in the data folder, or when it goes through a file or a link to nothing. Creates nothing.
 */
export async function locate(ground: Ground, path: string): Promise<Place> {
  const { real, missing } = await follow(ground.root, path);
  const target = join(real, ...missing);
  if (!isInside(ground.root, target)) throw new ToolFault(`${path} is outside the workspace.`);
  if (isInside(ground.dataDir, target)) throw new ToolFault(`${path} is in Cairn's own data folder, which tools never touch.`);
  return { real: target, exists: missing.length === 0, shown: shownIn(ground.root, target) };
}

/** A real path below the root as the model is shown it. */
export function shownIn(root: string, real: string): string {
  return relative(root, real).split(sep).join('/') || '.';
}

/** The real path of the deepest existing ancestor, and the names below it that do not exist. */
async function follow(from: string, path: string): Promise<{ real: string; missing: string[] }> {
  let current = isAbsolute(path) ? parse(path).root : from;
  const missing: string[] = [];
  for (const name of path.split(sep)) {
    if (name === '' || name === '.') continue;
    if (name === '..') {
      if (missing.pop() === undefined) current = dirname(current);
      continue;
    }
    if (missing.length > 0) {
      missing.push(name);
      continue;
    }
    const next = join(current, name);
    const kind = await kindOf(next, path);
    if (kind === 'none') missing.push(name);
    else if (kind === 'other') current = next;
    else current = await targetOf(next, path);
  }
  // On a disk that ignores case, `join` kept the model's spelling; the comparison below needs the disk's own.
  return { real: await realpath(current), missing };
}

async function kindOf(at: string, path: string): Promise<'none' | 'link' | 'other'> {
  try {
    return (await lstat(at)).isSymbolicLink() ? 'link' : 'other';
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 'none';
    throw faultOf(error, path);
  }
}

async function targetOf(link: string, path: string): Promise<string> {
  try {
    return await realpath(link);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw new ToolFault(`${path} goes through a link to something that does not exist.`);
    throw faultOf(error, path);
  }
}

/**
 * Opens a regular file for reading. What was checked and what was opened must be the same thing: the last name is not
 * followed if it became a link meanwhile, and the path must still be its own real path, of the very file that is open.
 * Never waits on a pipe or a device.
 */
export async function openFile(place: Place): Promise<FileHandle> {
  let handle: FileHandle;
  try {
    handle = await open(place.real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    throw faultOf(error, place.shown);
  }
  try {
    const opened = await handle.stat();
    if (opened.isDirectory()) throw new ToolFault(`${place.shown} is a folder, not a file.`);
    if (!opened.isFile()) throw new ToolFault(`${place.shown} is not a regular file.`);
    const named = (await realpath(place.real)) === place.real ? await stat(place.real) : null;
    if (named === null || named.ino !== opened.ino || named.dev !== opened.dev) {
      throw new ToolFault(`${place.shown} was replaced while it was opened; try again.`);
    }
    return handle;
  } catch (error) {
    await handle.close();
    throw faultOf(error, place.shown);
  }
}
