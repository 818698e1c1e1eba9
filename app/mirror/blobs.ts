/** Data kept whole under its hash, least recently used out. */
import { utf8Length } from '#shared/text.ts';
import type { Guard } from './port.ts';
import { holds } from './guard.ts';
import type { BlobFacts, MirrorTx } from './tx.ts';

/** Bytes of all blobs together, and of one. */
export const BLOB_BYTES = 64 * 1024 * 1024;
export const BLOB_MOST = 8 * 1024 * 1024;

export interface NewBlob {
  sessionId: string;
  sha256: string;
  text: string;
  /** Others may go for it. */
  others: 'go' | 'stay';
}

/** `used`: read since the last write, oldest first. */
export async function putBlobIn(tx: MirrorTx, guard: Guard, blob: NewBlob, used: readonly string[]): Promise<boolean> {
  const { sessionId, sha256, text } = blob;
  const bytes = text.length > BLOB_MOST ? text.length : utf8Length(text);
  if (bytes > BLOB_MOST || !holds(await tx.metaOf(sessionId), guard)) return false;
  const row = (await tx.meta('blobs')) ?? { bytes: 0, tick: 0 };
  const touched = await tx.blobFacts([...used, sha256]);
  for (const facts of touched) facts.usedAt = ++row.tick;
  await tx.putBlobFacts(touched);
  const isHere = touched.some((facts) => facts.sha256 === sha256);
  if (!isHere) {
    const over = row.bytes + bytes - BLOB_BYTES;
    if (over > 0 && blob.others === 'stay') return false;
    const gone = over > 0 ? oldestOf(await tx.allBlobFacts(), over) : [];
    await tx.dropBlobs(gone.map((facts) => facts.sha256));
    await tx.putBlob({ sha256, sessionId, bytes, usedAt: ++row.tick }, text);
    row.bytes += bytes - sizeOf(gone);
  }
  await tx.setMeta('blobs', row);
  return true;
}

export async function blobsMissingIn(tx: MirrorTx, sha256s: readonly string[]): Promise<string[]> {
  const here = new Set((await tx.blobFacts(sha256s)).map((facts) => facts.sha256));
  return sha256s.filter((sha256) => !here.has(sha256));
}

/** The blobs of a session that goes. One that another session shares goes too: it can be fetched again. */
export async function dropBlobsOf(tx: MirrorTx, sessionId: string): Promise<void> {
  const row = await tx.meta('blobs');
  if (row === undefined || row.bytes === 0) return;
  const gone = (await tx.allBlobFacts()).filter((facts) => facts.sessionId === sessionId);
  if (gone.length === 0) return;
  await tx.dropBlobs(gone.map((facts) => facts.sha256));
  await tx.setMeta('blobs', { ...row, bytes: row.bytes - sizeOf(gone) });
}

function oldestOf(all: readonly BlobFacts[], bytes: number): BlobFacts[] {
  let left = bytes;
  return all
    .toSorted((a, b) => a.usedAt - b.usedAt)
    .filter((facts) => {
      const goes = left > 0;
      if (goes) left -= facts.bytes;
      return goes;
    });
}
function sizeOf(blobs: readonly BlobFacts[]): number {
  return blobs.reduce((sum, { bytes }) => sum + bytes, 0);
}
