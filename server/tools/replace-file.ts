/** Reading a file whole with its hash, and replacing it at once: other readers see the old bytes or the new, nothing between. */
import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { access, lstat, mkdir, open, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Random } from '#shared/ports.ts';
import { codeOf, faultOf, ToolFault } from './fault.ts';
import { openFile, type Place } from './paths.ts';

/** Hex SHA-256. */
export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Hash of a file's content, read in pieces; null when there is no such file. */
export async function hashOfFile(place: Place): Promise<string | null> {
  if ((await statOrNull(place.real)) === null) return null;
  const handle = await openFile(place);
  try {
    const hash = createHash('sha256');
    for await (const piece of handle.createReadStream({ autoClose: false })) hash.update(piece as Buffer);
    return hash.digest('hex');
  } finally {
    await handle.close();
  }
}

/** All bytes of a file of at most `maxBytes`. */
export async function readWhole(place: Place, maxBytes: number): Promise<Buffer> {
  const handle = await openFile(place);
  try {
    const { size } = await handle.stat();
    if (size > maxBytes) throw new ToolFault(`${place.shown} has ${size} bytes; files over ${maxBytes} are not edited here.`);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

export interface Replacement {
  place: Place;
  bytes: Uint8Array;
  /** Hash that the file must have at the moment it is replaced; null: there must be none. */
  expected: string | null;
  /** What to say when it has another. */
  changed: string;
}

/** Makes the file's folders, writes beside it, checks once more, renames. Mode bits stay. Answers the new hash. */
export async function replaceFile(request: Replacement, random: Random, signal: AbortSignal): Promise<string> {
  const { place, bytes } = request;
  const folder = dirname(place.real);
  const temp = join(folder, `.cairn-${Buffer.from(random.bytes(9)).toString('hex')}.tmp`);
  try {
    await mkdir(folder, { recursive: true });
    await stillReal(folder, place);
    const old = await statOrNull(place.real);
    if (old !== null && !old.isFile()) throw new ToolFault(`${place.shown} is not a regular file.`);
    if (old !== null) await access(place.real, constants.W_OK);
    const handle = await open(temp, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o666);
    try {
      await handle.writeFile(bytes);
      if (old !== null) {
        // Only root can give a file away; for anyone else the file was theirs, or stays with the group's rights it has.
        if (process.getuid?.() === 0) await handle.chown(old.uid, old.gid);
        await handle.chmod(old.mode & 0o7777);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    if ((await hashOfFile(place)) !== request.expected) throw new ToolFault(request.changed);
    signal.throwIfAborted();
    await stillReal(folder, place);
    await rename(temp, place.real);
    return hashOf(bytes);
  } catch (error) {
    await rm(temp, { force: true });
    throw faultOf(error, place.shown);
  }
}

/** The folder that was checked must be the folder that is written to: none of its names became a link meanwhile. */
async function stillReal(folder: string, place: Place): Promise<void> {
  if ((await realpath(folder)) !== folder) throw new ToolFault(`${place.shown}: its folder became a link meanwhile; nothing was written.`);
}

async function statOrNull(path: string): Promise<Stats | null> {
  try {
    return await lstat(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}
