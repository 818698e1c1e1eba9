/** What of the database cannot be read: told once a row, since a row is read again and again. */
import type { Report } from '#shared/ports.ts';

/** Rows remembered as told. Past it all are forgotten: a database with more damage than that may say so twice. */
const MOST_TOLD = 10_000;

/** A report that is told once for the same facts. */
export function toldOnce(report: Report): Report {
  const told = new Set<string>();
  return (event, facts) => {
    const key = JSON.stringify([event, facts]);
    if (told.has(key)) return;
    if (told.size >= MOST_TOLD) told.clear();
    told.add(key);
    report(event, facts);
  };
}

/** Undefined: not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
