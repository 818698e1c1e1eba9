/** The newest rows whose JSON fits `bytes` together, at least one; order kept. Only the oldest end is ever left out. */
export function newestWithin<T>(rows: readonly T[], bytes: number): T[] {
  let left = bytes;
  let from = rows.length;
  while (from > 0) {
    left -= Buffer.byteLength(JSON.stringify(rows[from - 1]));
    if (left < 0 && from < rows.length) break;
    from--;
  }
  return rows.slice(from);
}
