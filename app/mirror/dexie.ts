export { diskMirror as dexieMirror } from './indexeddb.ts';
export type { DiskParts } from '../disk/database.ts';
