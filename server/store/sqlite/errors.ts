/** Why a data folder cannot be opened: each message is one plain line for the person who starts the server. */
import { join } from 'node:path';
import Database from 'better-sqlite3';

/** All of them. */
export abstract class DataRefused extends Error {
  constructor(name: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = name;
  }
}

/** Another live process holds the folder (I36). */
export class DataFolderBusy extends DataRefused {
  constructor(folder: string) {
    super(
      'DataFolderBusy',
      `Another Cairn server is already using the data folder ${folder}. Stop it, or give this one another CAIRN_DATA_DIR.`,
    );
  }
}
/** It cannot be made, read or written. */
export class DataFolderUnusable extends DataRefused {
  constructor(folder: string, cause: unknown) {
    super('DataFolderUnusable', `the data folder ${folder} cannot be used: ${reasonOf(cause)}`, cause);
  }
}
/** A newer version of Cairn has written it; migrations only go forward. */
export class DatabaseTooNew extends DataRefused {
  constructor(found: number, known: number) {
    super(
      'DatabaseTooNew',
      `the database was written by a newer version of Cairn (format ${found}, this version knows ${known}): update Cairn`,
    );
  }
}
/** What is there is no database, or only part of one. */
export class DatabaseDamaged extends DataRefused {
  constructor(folder: string) {
    super(
      'DatabaseDamaged',
      `the database ${join(folder, 'cairn.db')} is damaged and was left as it is: put a copy in its place (Cairn keeps those of before an update in ${join(folder, 'backups')}), or move it away to begin anew`,
    );
  }
}
/** No update without a copy to go back to. */
export class BackupFailed extends DataRefused {
  constructor(backups: string, cause: unknown) {
    super(
      'BackupFailed',
      `the database must be updated for this version of Cairn, and no copy of it could be made in ${backups} first, so nothing was changed: ${reasonOf(cause)}`,
      cause,
    );
  }
}
export class MigrationFailed extends DataRefused {
  constructor(path: string, cause: unknown) {
    super(
      'MigrationFailed',
      `the database ${path} could not be updated for this version of Cairn and is as it was: ${reasonOf(cause)}`,
      cause,
    );
  }
}

/** What SQLite says of a file that it cannot make sense of. */
export function isDamage(error: unknown): boolean {
  return error instanceof Database.SqliteError && (error.code.startsWith('SQLITE_CORRUPT') || error.code === 'SQLITE_NOTADB');
}
/** Whatever came of opening the folder, as what the starter is told. */
export function asRefusal(folder: string, error: unknown): DataRefused {
  if (error instanceof DataRefused) return isDamage(error.cause) ? new DatabaseDamaged(folder) : error;
  return isDamage(error) ? new DatabaseDamaged(folder) : new DataFolderUnusable(folder, error);
}

function reasonOf(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)).split('\n')[0]!;
}
