/** A process of its own that holds a data folder until it is killed. Argument: folder. */
import { holdFolder, prepareFolder } from '../../../server/store/sqlite/folder.ts';

const folder = process.argv[2];
if (folder === undefined) throw new Error('usage: hold FOLDER');
prepareFolder(folder);
holdFolder(folder);
process.stdout.write('ready\n');
process.stdin.resume();
