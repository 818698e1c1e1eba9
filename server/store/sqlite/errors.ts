/** Why a data folder cannot be opened: each message is one plain line for the person who starts the server. */

/** Another live process holds the folder (I36). */
export class DataFolderBusy extends Error {
  constructor(folder: string) {
    super(`Another Cairn server is already using the data folder ${folder}. Stop it, or give this one another CAIRN_DATA_DIR.`);
    this.name = 'DataFolderBusy';
  }
}
/** It cannot be made, read or written. */
export class DataFolderUnusable extends Error {
  constructor(folder: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`the data folder ${folder} cannot be used: ${reason}`, { cause });
    this.name = 'DataFolderUnusable';
  }
}
/** A newer version of Cairn has written it; migrations only go forward. */
export class DatabaseTooNew extends Error {
  constructor(found: number, known: number) {
    super(`the database was written by a newer version of Cairn (format ${found}, this version knows ${known}): update Cairn`);
    this.name = 'DatabaseTooNew';
  }
}
