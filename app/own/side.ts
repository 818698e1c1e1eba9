/**
 * A small database of this window's own, for what its own work cannot be written to now: one that another window holds up does
 * not hold up this one. What a window leaves in it when it dies is found by the next.
 */
import { Database, type DiskParts, type Schema } from '../disk/database.ts';
import { done } from '../disk/requests.ts';
import { within } from '../disk/within.ts';
import { LateError } from '../disk/faults.ts';
import { ASIDE_FORMAT, type Aside } from './aside.ts';

const NAME = 'cairn-aside-';
const STORE = 'aside';
/** Milliseconds that somebody who presses Send waits for it. */
const SIDE_WITHIN = 2_000;
const SCHEMA: Schema = { facts: STORE, versions: [{ version: 1, stores: { [STORE]: 'key' } }] };

export interface Side {
  /** On the disk once this resolves, in place of what was there. */
  save(aside: Aside): Promise<void>;
  /** It is with own work now. */
  drop(): Promise<void>;
}

/** The one of this window. It is made with the first thing that is put in it. `live`: nobody may take it as left while that runs. */
export function sideOf(window: string, parts: DiskParts, live: (name: string, until: Promise<void>) => void): Side {
  const name = NAME + window;
  const database = new Database(name, SCHEMA, parts, {}, SIDE_WITHIN);
  let letGo: (() => void) | null = null;
  return {
    async save(value) {
      if (letGo === null) live(name, new Promise<void>((resolve) => (letGo = resolve)));
      await database.run({
        mode: 'readwrite',
        stores: [STORE],
        durability: 'strict',
        work: (tx) => done(() => tx.objectStore(STORE).put({ key: STORE, value })),
      });
    },
    async drop() {
      if (letGo === null) return;
      database.close();
      await dropped(name, parts);
      letGo();
      letGo = null;
    },
  };
}

/** What windows that are no more left behind: each is handed to `take`, and gone once that resolves. `free`: runs it if nobody lives in it. */
export async function takeLeft(
  parts: DiskParts,
  free: (name: string, task: () => Promise<void>) => Promise<unknown>,
  take: (aside: Aside) => Promise<void>,
): Promise<void> {
  const factory = parts.indexedDB;
  if (!('databases' in factory)) return;
  for (const { name } of await factory.databases()) {
    if (name === undefined || !name.startsWith(NAME)) continue;
    await free(name, async () => {
      const database = new Database(name, SCHEMA, parts, {}, SIDE_WITHIN);
      const left = await database.run({
        mode: 'readonly',
        stores: [STORE],
        durability: 'default',
        work: (tx) => done<{ value: Aside } | undefined>(() => tx.objectStore(STORE).get(STORE)),
      });
      database.close();
      // Of a newer app: it is left for one that knows it.
      if (left !== undefined && left.value.v !== ASIDE_FORMAT) return;
      if (left !== undefined) await take(left.value);
      await dropped(name, parts);
    });
  }
}

/** A deletion that another window holds up is carried out when it lets go. */
function dropped(name: string, { indexedDB: factory, timers }: DiskParts): Promise<void> {
  const gone = new Promise<void>((resolve, reject) => {
    const request = factory.deleteDatabase(name);
    request.addEventListener('success', () => resolve());
    request.addEventListener('blocked', () => resolve());
    request.addEventListener('error', () => reject(request.error ?? new DOMException('not deleted', 'UnknownError')));
  });
  return within(timers, SIDE_WITHIN, gone, () => new LateError(SIDE_WITHIN));
}
