/**
 * Which names this server answers to, and which pages may speak to it: fixed at start, compared by equality. A list, not a
 * rule, because rules are what DNS rebinding slips through (B58).
 */

export interface Bound {
  /** The address that the socket is bound to, as the system reports it. */
  address: string;
  port: number;
}
export interface Allowed {
  /** Values of `Host`. */
  readonly hosts: ReadonlySet<string>;
  /** Values of `Origin`. */
  readonly origins: ReadonlySet<string>;
  /** The one origin that pages are to be opened under, e.g. `http://127.0.0.1:4646`. */
  readonly canonical: string;
  /** Hosts whose navigations are sent to `canonical`: other names of it. Empty unless bound to a loopback address. */
  readonly aliases: ReadonlySet<string>;
}

/** True for an address that only this machine can reach. */
export function isLoopback(address: string): boolean {
  return address === '::1' || address === 'localhost' || /^(::ffff:)?127\./.test(address);
}

/** `origins`: further exact origins (`scheme://host[:port]`), whose hosts are allowed too. */
export function allowedDoors(bound: Bound, tls: boolean, origins: readonly string[]): Allowed {
  const scheme = tls ? 'https' : 'http';
  const port = bound.port === (tls ? 443 : 80) ? '' : `:${bound.port}`;
  const names = new Set(['127.0.0.1', 'localhost', '[::1]']);
  if (bound.address.startsWith('127.')) names.add(bound.address);
  const main = bound.address === '::1' ? '[::1]' : bound.address.startsWith('127.') ? bound.address : '127.0.0.1';
  const hosts = new Set<string>();
  for (const name of names) {
    hosts.add(`${name}${port}`);
    if (port === '') hosts.add(`${name}:${bound.port}`);
  }
  const aliases = isLoopback(bound.address) ? [...names].filter((name) => name !== main).map((name) => `${name}${port}`) : [];
  const own = [...names].map((name) => `${scheme}://${name}${port}`);
  for (const origin of origins) hosts.add(new URL(origin).host);
  return { hosts, origins: new Set([...own, ...origins]), canonical: `${scheme}://${main}${port}`, aliases: new Set(aliases) };
}
