/** Commits of a SQLite database, counted from outside: in its write-ahead log the last frame of each commit says how large the database is. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const HEADER = 32;
const FRAME_HEADER = 24;

/**
 * Commits in the log of `folder`'s database since it was last begun anew. `salt` names that beginning: counts of two salts are not of one log.
 * Source of the layout: sqlite.org/fileformat2.html, "The Write-Ahead Log".
 */
export function commitsIn(folder: string): { commits: number; salt: string } {
  const log = readFileSync(join(folder, 'cairn.db-wal'));
  if (log.length < HEADER) return { commits: 0, salt: '' };
  const salt = log.subarray(16, 24).toString('hex');
  const size = FRAME_HEADER + log.readUInt32BE(8);
  let commits = 0;
  for (let at = HEADER; at + size <= log.length; at += size) {
    // What is left of an earlier round lies behind the newest frame.
    if (log.subarray(at + 8, at + 16).toString('hex') !== salt) break;
    if (log.readUInt32BE(at + 4) !== 0) commits++;
  }
  return { commits, salt };
}
