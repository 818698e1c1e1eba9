/**
 * A deep plain copy of JSON-like data. IndexedDB cannot store a proxy, and a reactive object hands out proxies at every depth,
 * so a shallow unwrap is not enough. Whatever is no plain object or array (a File, a Blob, bytes, a Date) passes as it is:
 * none of these is ever made reactive.
 */
export function plain<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item: unknown) => plain(item)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const kind = Object.prototype.toString.call(value);
  if (kind !== '[object Object]') return value;
  const copy: Record<string, unknown> = {};
  for (const [key, entry] of Object.entries(value)) copy[key] = plain(entry);
  return copy as T;
}

/** Freezes data at every depth, in place, and hands it back. What is frozen is never made reactive. */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const entry of Object.values(value)) frozen(entry);
  return Object.freeze(value);
}

/** Whether objects and arrays lie in each other more than `levels` deep. Looks no deeper than that, so no depth can exhaust the stack. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((entry) => isDeeperThan(entry, levels - 1));
}
