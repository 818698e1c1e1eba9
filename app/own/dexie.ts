export { diskOwn as dexieOwn } from './indexeddb.ts';
