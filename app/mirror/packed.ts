/**
 * A full page as it is stored. Measured in Chromium, a page of a hundred objects costs two to three times as much to write as its
 * JSON, and as one text it doubles in size with the first character that is not Latin: so what is alike in all records is one
 * text, and the data of each is its own. Pure.
 */
import type { LogRecord } from '#shared/protocol/records.ts';
import { runOf, type Run } from './pages.ts';

export interface PackedPage {
  sessionId: string;
  page: number;
  /** JSON: the records, 0 in place of their data. */
  heads: string;
  /** JSON of each one's data. */
  data: string[];
}

export function packed(sessionId: string, page: number, records: readonly LogRecord[]): PackedPage {
  const heads = JSON.stringify(records.map((record) => ({ ...record, sessionId, data: 0 })));
  return { sessionId, page, heads, data: records.map(({ data }) => JSON.stringify(data)) };
}
export function unpacked({ heads, data }: PackedPage): Run {
  const records = JSON.parse(heads) as LogRecord[];
  for (const [at, record] of records.entries()) record.data = JSON.parse(data[at]!);
  return runOf(records)!;
}
