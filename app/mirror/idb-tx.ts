/**
 * One transaction on IndexedDB. Full pages are packed, one row a page; the run of a page that is not full is kept as rows, since
 * a packed one would be written whole at every seal.
 *
 * Plain requests, not Dexie's tables: what those cost a request is as much as the write of a whole page.
 */
import type { LogRecord } from '#shared/protocol/records.ts';
import type { Approval, Receipt, TurnMark } from '#shared/protocol/summaries.ts';
import { done } from '../disk/requests.ts';
import { packed, unpacked, type PackedPage } from './packed.ts';
import { byPage, firstOf, isFull, lastOf, type Run } from './pages.ts';
import type { MirroredSession, Span } from './port.ts';
import { ALL, type BlobFacts, type MetaRows, type MirrorTx, type Runs, type SessionMeta, type Store } from './tx.ts';

type Ranges = typeof IDBKeyRange;
type Key = [string, number];

export class IdbTx implements MirrorTx {
  readonly #tx: IDBTransaction;
  readonly #ranges: Ranges;
  constructor(tx: IDBTransaction, ranges: Ranges) {
    this.#tx = tx;
    this.#ranges = ranges;
  }
  async meta<K extends keyof MetaRows>(key: K): Promise<MetaRows[K] | undefined> {
    const row = await done<{ value: MetaRows[K] } | undefined>(() => this.#at('meta').get(key));
    return row?.value;
  }
  async metaOf(sessionId: string): Promise<SessionMeta> {
    const [facts, log] = await Promise.all([this.meta('facts'), this.meta(`log/${sessionId}`)]);
    return { facts, ...log };
  }
  setMeta<K extends keyof MetaRows>(key: K, value: MetaRows[K]): Promise<unknown> {
    return done(() => this.#at('meta').put({ key, value }));
  }
  session(id: string): Promise<MirroredSession | undefined> {
    return done(() => this.#at('sessions').get(id));
  }
  sessions(): Promise<MirroredSession[]> {
    return done(() => this.#at('sessions').getAll());
  }
  putSession(session: MirroredSession): Promise<unknown> {
    return done(() => this.#at('sessions').put(session));
  }
  dropSession(id: string): Promise<unknown> {
    return done(() => this.#at('sessions').delete(id));
  }
  inputs(sessionId: string): Promise<Receipt[]> {
    return done(() => this.#at('inputs').getAll(this.#of(sessionId)));
  }
  setInputs(sessionId: string, inputs: readonly Receipt[]): Promise<unknown> {
    return Promise.all([done(() => this.#at('inputs').delete(this.#of(sessionId))), this.#putAll('inputs', inputs)]);
  }
  approvals(sessionId: string): Promise<Approval[]> {
    return done(() => this.#at('approvals').getAll(this.#of(sessionId)));
  }
  setApprovals(sessionId: string, approvals: readonly Approval[]): Promise<unknown> {
    return Promise.all([done(() => this.#at('approvals').delete(this.#of(sessionId))), this.#putAll('approvals', approvals)]);
  }

  async runs(sessionId: string, low: number, high: number, isTail: boolean): Promise<Runs> {
    const [pages, early] = await Promise.all([
      done<PackedPage[]>(() => this.#at('pages').getAll(this.#between(sessionId, low, high))),
      isTail ? this.#rows(sessionId, low, high) : null,
    ]);
    // Where every page is full there is no row to ask for.
    const rows = early ?? (pages.length > high - low ? [] : await this.#rows(sessionId, low, high));
    const runs = byPage(rows);
    const full = new Map(pages.map((page) => [page.page, page]));
    return {
      get(page) {
        const found = full.get(page);
        return found === undefined ? runs.get(page) : unpacked(found);
      },
    };
  }
  async held(sessionId: string, low: number, high: number): Promise<Map<number, Run | 'full'>> {
    const [pages, rows] = await Promise.all([this.#keys('pages', this.#between(sessionId, low, high)), this.#rows(sessionId, low, high)]);
    const held = new Map<number, Run | 'full'>(byPage(rows));
    for (const page of pages) held.set(page, 'full');
    return held;
  }
  putRun(sessionId: string, page: number, run: Run, held: Run | null): Promise<unknown> {
    if (isFull(run)) {
      return Promise.all([
        done(() => this.#at('pages').put(packed(sessionId, page, run.records))),
        held === null ? null : this.#dropRows(sessionId, page),
      ]);
    }
    if (held !== null && run.from <= held.from && run.to >= held.to) {
      return this.append(
        sessionId,
        run.records.filter(({ seq }) => seq < held.from || seq > held.to),
      );
    }
    return Promise.all([held === null ? null : this.#dropRows(sessionId, page), this.append(sessionId, run.records)]);
  }
  append(sessionId: string, records: readonly LogRecord[]): Promise<unknown> {
    return this.#putAll(
      'rows',
      records.map((record) => (record.sessionId === sessionId ? record : { ...record, sessionId })),
    );
  }
  async spans(_sessionId: string, runs: readonly Span[]): Promise<readonly Span[]> {
    return runs;
  }

  async turns(sessionId: string, low: number, high: number, limit: number): Promise<TurnMark[]> {
    if (low > high) return [];
    const newest: TurnMark[] = [];
    const request = this.#at('turns').openCursor(this.#between(sessionId, low, high), 'prev');
    for (let cursor = await done(() => request); cursor !== null; cursor = await done(() => request)) {
      const { turnId, seq, createdAt, words } = cursor.value as TurnMark;
      newest.push({ turnId, seq, createdAt, words });
      if (newest.length === limit) break;
      cursor.continue();
    }
    return newest.toReversed();
  }
  putTurns(sessionId: string, turns: readonly TurnMark[]): Promise<unknown> {
    return this.#putAll(
      'turns',
      turns.map((mark) => ({ ...mark, sessionId })),
    );
  }

  async blob(sha256: string): Promise<string | undefined> {
    return (await done<{ text: string } | undefined>(() => this.#at('blobs').get(sha256)))?.text;
  }
  async blobFacts(sha256s: readonly string[]): Promise<BlobFacts[]> {
    const found = await Promise.all(sha256s.map((sha256) => done<BlobFacts | undefined>(() => this.#at('blobFacts').get(sha256))));
    return found.filter((facts) => facts !== undefined);
  }
  allBlobFacts(): Promise<BlobFacts[]> {
    return done(() => this.#at('blobFacts').getAll());
  }
  putBlob(facts: BlobFacts, text: string): Promise<unknown> {
    return Promise.all([this.putBlobFacts([facts]), done(() => this.#at('blobs').put({ sha256: facts.sha256, text }))]);
  }
  putBlobFacts(facts: readonly BlobFacts[]): Promise<unknown> {
    return this.#putAll('blobFacts', facts);
  }
  dropBlobs(sha256s: readonly string[]): Promise<unknown> {
    const names = ['blobs', 'blobFacts'] as const;
    return Promise.all(names.flatMap((name) => sha256s.map((sha256) => done(() => this.#at(name).delete(sha256)))));
  }

  dropLog(sessionId: string): Promise<unknown> {
    const names = ['pages', 'rows', 'inputs', 'approvals', 'turns'] as const;
    return Promise.all(names.map((name) => done(() => this.#at(name).delete(this.#of(sessionId)))));
  }
  dropAll(): Promise<unknown> {
    return Promise.all(ALL.map((name) => done(() => this.#at(name).clear())));
  }

  #at(name: Store): IDBObjectStore {
    return this.#tx.objectStore(name);
  }
  async #putAll(name: Store, values: readonly unknown[]): Promise<void> {
    if (values.length === 0) return;
    const store = this.#at(name);
    await Promise.all(values.map((value) => done(() => store.put(value))));
  }
  #rows(sessionId: string, low: number, high: number): Promise<LogRecord[]> {
    return done(() => this.#at('rows').getAll(this.#between(sessionId, firstOf(low), lastOf(high))));
  }
  #dropRows(sessionId: string, page: number): Promise<unknown> {
    return done(() => this.#at('rows').delete(this.#between(sessionId, firstOf(page), lastOf(page))));
  }
  async #keys(name: Store, range: IDBKeyRange): Promise<number[]> {
    return (await done(() => this.#at(name).getAllKeys(range))).map((key) => (key as Key)[1]);
  }
  /** All keys that begin with `sessionId`: an array is above every number and string. */
  #of(sessionId: string): IDBKeyRange {
    return this.#ranges.bound([sessionId], [sessionId, []]);
  }
  #between(sessionId: string, low: number, high: number): IDBKeyRange {
    return this.#ranges.bound([sessionId, low], [sessionId, high]);
  }
}
