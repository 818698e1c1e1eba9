import { sqliteHarness } from '../support/store-harness.ts';
import { storeContract } from './store.ts';

storeContract('SQLite', sqliteHarness);
