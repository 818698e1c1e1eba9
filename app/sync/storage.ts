/**
 * What becomes of this device's two databases: told once each time, and shown anew from what they then hold. Between losing one
 * and having it back the app goes on from memory and the server (law 17).
 */
import type { Report, Timers } from '#shared/ports.ts';
import { faultOf, type DiskFault } from '../disk/faults.ts';
import type { Kept } from '../own/degrading.ts';
import { NOTICES } from './notices.ts';
import type { Screen } from './ports.ts';
import { STORAGE_NOTICES } from './storage-notices.ts';
import type { Notice } from './views.ts';

/** What the app has to do about it. */
export interface StorageActs {
  /** Writes every draft that waits. */
  flushDrafts(): Promise<void>;
  /** The outbox is read anew, and handed on. */
  rereadOwn(): Promise<void>;
  /** What this window knows of own work is put into a database that was emptied. */
  putBackOwn(): Promise<void>;
  /** The mirror is another one than what is shown was read from. */
  rereadMirror(): Promise<void>;
}
export interface StorageParts {
  screen: Pick<Screen, 'notice' | 'memoryOnly'>;
  report: Report;
  timers: Timers;
  /** False: there is no IndexedDB, and never will be in this window. */
  hasDisk: boolean;
  /** Made after the databases. */
  acts(): StorageActs;
}
type Which = 'own' | 'mirror';
/** Another window is in the way, for as long as it likes. */
const HELD: ReadonlySet<DiskFault> = new Set(['late', 'blocked']);
const HELD_ID = STORAGE_NOTICES.held(true).id;
/** Milliseconds after which it is told: a disk that was only slow is back by then. */
const TELL_AFTER = 3_000;

export class Storage {
  readonly #parts: StorageParts;
  /** What is lost at the moment, by the notice that told it; null: another one says it. */
  readonly #lost = new Map<Which, string | null>();
  /** What was said of it and not taken back. */
  readonly #said = new Set<string>();
  #kept: Kept = 'aside';
  #outdated = false;

  constructor(parts: StorageParts) {
    this.#parts = parts;
  }
  ownLost(error: unknown, kept: Kept): void {
    this.#kept = kept;
    this.#parts.report('own.lost', { error, kept });
    const fault = faultOf(error);
    this.#tell('own', kept === 'memory' ? NOTICES.ownLost() : fault === 'newer' ? null : STORAGE_NOTICES.held(HELD.has(fault)));
  }
  mirrorLost(error: unknown): void {
    this.#parts.report('mirror.lost', { error });
    const fault = faultOf(error);
    const notice = HELD.has(fault) ? STORAGE_NOTICES.held(true) : NOTICES.mirrorLost(fault === 'quota');
    this.#tell('mirror', fault === 'newer' ? null : notice);
  }
  ownBack(): void {
    this.#back('own');
    this.#do('storage.own', () => this.#parts.acts().rereadOwn());
  }
  mirrorBack(): void {
    this.#back('mirror');
    this.#do('storage.mirror', () => this.#parts.acts().rereadMirror());
  }

  /** A newer app needs the databases: what is being typed is saved first. */
  async leaving(): Promise<void> {
    await this.#parts.acts().flushDrafts();
  }
  outdated(): void {
    if (this.#outdated) return;
    this.#outdated = true;
    this.#parts.screen.notice(STORAGE_NOTICES.outdated());
  }
  /** Somebody deleted a database under this window. */
  replaced(which: Which): void {
    this.#parts.report('storage.replaced', { which });
    this.#parts.screen.notice(STORAGE_NOTICES.deleted());
    this.#do('storage.replaced', async () => {
      const acts = this.#parts.acts();
      if (which === 'mirror') return acts.rereadMirror();
      await acts.putBackOwn();
      await acts.rereadOwn();
    });
  }

  #tell(which: Which, notice: Notice | null): void {
    const told = [...this.#lost.values()];
    this.#lost.set(which, notice?.id ?? null);
    const nothingKept = !this.#parts.hasDisk || (this.#lost.size === 2 && this.#kept === 'memory');
    if (nothingKept) this.#parts.screen.memoryOnly(true);
    else if (notice !== null && !told.includes(notice.id)) this.#show(notice);
  }
  #show(notice: Notice): void {
    if (notice.id !== HELD_ID) return this.#say(notice);
    this.#parts.timers.after(TELL_AFTER, () => {
      if (!this.#outdated && [...this.#lost.values()].includes(HELD_ID)) this.#say(notice);
    });
  }
  #say(notice: Notice): void {
    this.#said.add(notice.id);
    this.#parts.screen.notice(notice);
  }
  #back(which: Which): void {
    const told = this.#lost.get(which) ?? null;
    this.#lost.delete(which);
    if (which === 'own') this.#kept = 'aside';
    this.#parts.screen.memoryOnly(false);
    if (told === null || [...this.#lost.values()].includes(told) || !this.#said.delete(told)) return;
    this.#parts.screen.notice(STORAGE_NOTICES.again(told, which === 'own' || told === HELD_ID));
  }
  #do(event: string, act: () => Promise<void>): void {
    void act().catch((error: unknown) => this.#parts.report(event, { error }));
  }
}
