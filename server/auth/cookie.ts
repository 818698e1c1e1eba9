/** The device cookie. Its name holds the port, since cookies ignore ports: two servers on one machine must not share one. */

/** 400 days: the most that browsers keep a cookie. */
const MAX_AGE_SECONDS = 400 * 24 * 60 * 60;

export function cookieName(port: number): string {
  return `cairn_${port}`;
}

/** Value of the named cookie in a `Cookie` header, or null. Of several with that name the first counts, as browsers send it. */
export function readCookie(header: string | undefined, name: string): string | null {
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return null;
}

/** `Set-Cookie` that signs a device in. `secure` under TLS. */
export function setCookie(name: string, value: string, secure: boolean): string {
  return `${name}=${value}; Path=/; Max-Age=${MAX_AGE_SECONDS}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
}

/** `Set-Cookie` that removes it. */
export function clearCookie(name: string, secure: boolean): string {
  return `${name}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
}
