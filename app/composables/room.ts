/** What the browser tells of the room that this site takes. Each part is missing somewhere: Safari told how much only from 17 on. */

export interface Room {
  /** Bytes; null: it does not say. */
  used: number | null;
  /** It keeps them until the user removes them; null: it does not say. */
  kept: boolean | null;
}

/** `storage`: undefined on plain http outside of loopback. */
export async function roomOf(storage: Partial<Pick<StorageManager, 'estimate' | 'persisted'>> | undefined): Promise<Room> {
  const [estimate, kept] = await Promise.all([storage?.estimate?.(), storage?.persisted?.()]);
  return { used: estimate?.usage ?? null, kept: kept ?? null };
}
