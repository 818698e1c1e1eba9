/**
 * A full page as it is stored. Measured in Chromium, a page of a hundred objects costs two to three times as much to write as its
 * JSON, and as one text it doubles in size with the first character that is not Latin: so the records are one text, and only data
 * with such characters is a text of its own. Pure.
 */
import type { LogRecord } from '#shared/protocol/records.ts';
import { runOf, type Run } from './pages.ts';

export interface PackedPage {
  sessionId: string;
  page: number;
  /** JSON: the records, 0 in place of data that is in `data`. */
  heads: string;
  /** JSON of each one's data, up to the last that is here; the empty text: it is with its record. */
  data: string[];
}
/** Characters of two bytes. */
const WIDE = /[\u0100-\uffff]/;

export function packed(sessionId: string, page: number, records: readonly LogRecord[]): PackedPage {
  const data: string[] = [];
  const heads = records.map((record, at) => {
    const text = JSON.stringify(record.data);
    if (!WIDE.test(text)) return JSON.stringify(record.sessionId === sessionId ? record : { ...record, sessionId });
    while (data.length < at) data.push('');
    data.push(text);
    return JSON.stringify({ ...record, sessionId, data: 0 });
  });
  return { sessionId, page, heads: `[${heads.join(',')}]`, data };
}
export function unpacked({ heads, data }: PackedPage): Run {
  const records = JSON.parse(heads) as LogRecord[];
  for (const [at, text] of data.entries()) if (text !== '') records[at]!.data = JSON.parse(text);
  return runOf(records)!;
}
