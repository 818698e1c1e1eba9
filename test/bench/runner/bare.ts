/**
 * The bare limit of admission, as a process of its own: express and SQLite under the server's pragmas, one prepared insert and one
 * commit a request, and nothing else. `node --import tsx bare.ts FOLDER` prints its port.
 */
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import Database from 'better-sqlite3';
import express from 'express';

const db = new Database(join(process.argv[2]!, 'bare.db'));
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');
db.exec('CREATE TABLE row (id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT');
const insert = db.prepare('INSERT INTO row (id, body) VALUES (?, ?)');

const app = express();
app.disable('x-powered-by');
app.use(express.json());
app.put('/{*path}', (request, response) => {
  insert.run(request.path, JSON.stringify(request.body));
  response.status(201).json(request.body);
});
const server = app.listen(0, '127.0.0.1', () => console.log(`port ${(server.address() as AddressInfo).port}`));
