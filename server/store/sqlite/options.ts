/** How the SQLite store is opened. */
import type { Clock, Random, Report } from '#shared/ports.ts';
import type { Decisions } from '../decisions.ts';
import type { Store } from '../port.ts';

export interface SqliteStoreOptions {
  /** The data folder: made (0700) if absent. Holds `cairn.db` and `lock.db`. */
  folder: string;
  clock: Clock;
  random: Random;
  report: Report;
  /** `decisions` of `server/inbox/decisions.ts`. */
  decisions: Decisions;
}
/** `openSqliteStore` of `open.ts`. Rejects with a `DataRefused` (`errors.ts`), whose message is one plain line. */
export type OpenSqliteStore = (options: SqliteStoreOptions) => Promise<Store>;
