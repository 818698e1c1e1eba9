/** Which folders may be a workspace, and the picker that leads to them: a phone cannot type paths. */
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { CodedError } from '#shared/protocol/errors.ts';
import { codeOf } from './fault.ts';
import { isInside, type Ground } from './paths.ts';
import type { FolderListing } from './port.ts';

const MAX_FOLDERS = 1000;

export interface Workspaces {
  /** As `Toolbox.workspace`. */
  workspace(path: string): Promise<string>;
  folders(path: string | null): Promise<FolderListing>;
  /** Where a session in this workspace may reach; throws as `workspace` does. */
  ground(path: string): Promise<Ground>;
}

export function createWorkspaces(roots: readonly string[], dataDir: string): Workspaces {
  const data = (): Promise<string> => deepestReal(dataDir);
  /** Real paths of the roots that exist, in their given order. */
  const realRoots = async (): Promise<string[]> => {
    const found = await Promise.all(roots.map(realOrNull));
    return [...new Set(found.filter((root) => root !== null))];
  };
  /** Real path of an existing folder inside a root and outside the data folder; else null, with no word on which it was. */
  const allowed = async (path: string): Promise<string | null> => {
    if (!isAbsolute(path) || path.includes('\0')) return null;
    const real = await realOrNull(path);
    if (real === null || !(await isFolder(real)) || isInside(await data(), real)) return null;
    return (await realRoots()).some((root) => isInside(root, real)) ? real : null;
  };

  const workspace = async (path: string): Promise<string> => {
    const real = await allowed(path);
    if (real === null)
      throw new CodedError('bad-workspace', 'The workspace must be an existing folder, given by its full path, inside an allowed root.');
    return real;
  };

  return {
    workspace,
    async ground(path) {
      return { root: await workspace(path), dataDir: await data() };
    },
    async folders(path) {
      if (path === null) {
        const found = await realRoots();
        return { path: null, parent: null, folders: found.map((root) => ({ name: basename(root) || root, path: root })) };
      }
      const real = await allowed(path);
      if (real === null) throw new CodedError('forbidden-path', 'Not a folder inside an allowed root.');
      const inRoots = await realRoots();
      const parent = inRoots.includes(real) ? null : dirname(real);
      return { path: real, parent, folders: await foldersIn(real, allowed) };
    },
  };
}

async function foldersIn(real: string, allowed: (path: string) => Promise<string | null>): Promise<FolderListing['folders']> {
  const entries = await readdir(real, { withFileTypes: true }).catch((error: unknown) => {
    if (codeOf(error) === null) throw error;
    throw new CodedError('forbidden-path', 'The folder cannot be read.');
  });
  const names = entries
    .filter((entry) => !entry.name.startsWith('.') && (entry.isDirectory() || entry.isSymbolicLink()) && entry.name.isWellFormed())
    .map((entry) => entry.name)
    .toSorted((a, b) => (a < b ? -1 : 1));
  const folders: FolderListing['folders'] = [];
  for (const name of names) {
    if (folders.length === MAX_FOLDERS) break;
    const path = await allowed(join(real, name));
    if (path !== null) folders.push({ name, path });
  }
  return folders;
}

/** Of a folder that may not be there yet: the real path of what is, and the rest as written. */
async function deepestReal(path: string): Promise<string> {
  const full = resolve(path);
  const real = await realOrNull(full);
  return real ?? (dirname(full) === full ? full : join(await deepestReal(dirname(full)), basename(full)));
}

async function realOrNull(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch (error) {
    if (codeOf(error) !== null) return null;
    throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (codeOf(error) !== null) return false;
    throw error;
  }
}
