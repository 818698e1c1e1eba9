/**
 * The owner's token: the one secret that signs a device in. Given by configuration, or made at the first start and kept
 * beside the data (the file port keeps it readable by its owner only).
 */
import type { Random } from '#shared/ports.ts';

/** Where the token is kept between starts. */
export interface TokenFile {
  /** The kept text, or null when there is none yet. */
  read(): string | null;
  /** Keeps `text`, readable by the owner only (0600). Throws when it cannot. */
  write(text: string): void;
}

/** The token to use: the configured one, else the kept one, else a new one of 256 random bits, kept. */
export function loadToken(configured: string | null, file: TokenFile, random: Random): string {
  if (configured !== null) return configured;
  const kept = file.read()?.trim();
  if (kept) return kept;
  const made = Buffer.from(random.bytes(32)).toString('base64url');
  file.write(`${made}\n`);
  return made;
}

/** The link that signs a browser in. The token stands in the fragment, which no request carries and no log records. */
export function signInLink(base: string, token: string): string {
  return `${base}/#t=${encodeURIComponent(token)}`;
}
