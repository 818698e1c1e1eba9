/** A process of its own that reads the newest seq and inserts the next, through the store's write transactions. Arguments: folder, how often. */
import { openDatabase } from '../../../server/store/sqlite/folder.ts';
import { writer } from '../../../server/store/sqlite/transaction.ts';

const [folder, times] = process.argv.slice(2);
if (folder === undefined || times === undefined) throw new Error('usage: append FOLDER TIMES');
const db = openDatabase(folder);
const write = writer(db);
const newest = db.prepare<[], { seq: number | null }>('SELECT max(seq) AS seq FROM row');
const insert = db.prepare<[number, number]>('INSERT INTO row (seq, pid) VALUES (?, ?)');
process.stdout.write('ready\n');
await new Promise((resolve) => process.stdin.once('data', resolve));
for (let n = 0; n < Number(times); n++) {
  write(() => {
    const seq = (newest.get()?.seq ?? 0) + 1;
    insert.run(seq, process.pid);
  });
}
db.close();
process.stdin.destroy();
