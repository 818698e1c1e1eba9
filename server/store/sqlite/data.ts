/** A record's data between memory and its JSON text: kept in the row when small, as a blob and a reference when not. */
import { createHash } from 'node:crypto';
import { LIMITS } from '#shared/protocol/limits.ts';
import { isBlobRef, type BlobRef, type LogRecord } from '#shared/protocol/records.ts';
import type { Report } from '#shared/ports.ts';
import { cut } from '#shared/text.ts';
import { parsed } from './damage.ts';
import type { RecordRow } from './rows.ts';
import { isSound } from './sound.ts';
import type { HistoryRow } from './statements.ts';

export interface EncodedData {
  /** The JSON text of the row. */
  text: string;
  /** What that text says: the data itself, or its reference. */
  data: unknown;
  blob: { sha256: string; bytes: Buffer } | null;
}

/** The data as it is stored: over `LIMITS.inlineDataBytes` of JSON it becomes a blob, and the row holds its reference. */
export function encodeData(data: unknown): EncodedData {
  const text = JSON.stringify(data) as string | undefined;
  if (text === undefined) throw new TypeError('a record needs data that JSON can hold');
  // a UTF-16 unit is at most three bytes of UTF-8: most data needs no counting
  if (text.length * 3 <= LIMITS.inlineDataBytes || Buffer.byteLength(text) <= LIMITS.inlineDataBytes) return { text, data, blob: null };
  const bytes = Buffer.from(text);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const reference: BlobRef = { blob: { sha256, size: bytes.length }, preview: cut(text, LIMITS.previewChars) };
  return { text: JSON.stringify(reference), data: reference, blob: { sha256, bytes } };
}

/**
 * The record as it is sent. A row that cannot be read is told of and reads as an opaque one of type `unreadable`: it keeps its
 * seq, so the log stays dense.
 */
export function recordOf(sessionId: string, row: RecordRow, damaged: Report): LogRecord {
  const data = parsed(row.data);
  if (row.blob === null ? isSound(row.kind, row.type, data) : isBlobRef(data)) return recordWith(sessionId, row, row.type, data);
  return unreadable(sessionId, row, damaged);
}

/** The record with its data in full; as opaque as above when the row or its blob cannot be read. */
export function fullRecordOf(sessionId: string, row: HistoryRow, damaged: Report): LogRecord {
  const text = row.blob === null ? row.data : row.bytes?.toString();
  const data = text === undefined ? undefined : parsed(text);
  return isSound(row.kind, row.type, data) ? recordWith(sessionId, row, row.type, data) : unreadable(sessionId, row, damaged);
}

function unreadable(sessionId: string, row: RecordRow, damaged: Report): LogRecord {
  damaged('unreadable-record', { sessionId, seq: row.seq, type: row.type });
  return recordWith(sessionId, row, 'unreadable', { unreadable: true, type: row.type });
}

/** The one place that a record is put together: told of at its commit or read years later, it is the same bytes (law 6). */
export function recordWith(sessionId: string, row: Omit<RecordRow, 'data' | 'blob'>, type: string, data: unknown): LogRecord {
  const base = { sessionId, seq: row.seq, id: row.id, type, data, createdAt: row.created_at, turnId: row.turn_id };
  return row.kind === 'event' ? { kind: 'event', ...base } : { kind: 'chunk', ...base, step: row.step, role: row.role ?? 'system' };
}
