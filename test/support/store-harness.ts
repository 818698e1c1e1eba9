/** A store on disk that a test can close, reopen and look into, with a clock and chance of the test's own. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decisions } from '../../server/inbox/decisions.ts';
import { payloadHash } from '../../server/inbox/payload-hash.ts';
import type {
  Admission,
  ApprovalAsk,
  Command,
  Commit,
  Preface,
  RecordDraft,
  SessionDraft,
  Settlement,
  Store,
} from '../../server/store/port.ts';
import { openSqliteStore } from '../../server/store/sqlite/open.ts';
import { newId } from '#shared/ids.ts';
import type { Random } from '#shared/ports.ts';
import type { Delivery } from '#shared/protocol/records.ts';
import type { SessionSummary } from '#shared/protocol/summaries.ts';

/** The same numbers from the same seed (mulberry32): enough for ids, and repeatable. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const unit = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return { unit, bytes: (n) => Uint8Array.from({ length: n }, () => Math.floor(unit() * 256)) };
}

const clock = { now: () => 1_800_000_000_000 };
const ids = seededRandom(7);
/** A fresh UUIDv7. */
export function id(): string {
  return newId(clock, ids);
}
/** The time that the builders below use. */
export const NOW = clock.now();

export interface StoreHarness {
  readonly store: Store;
  /** Everything announced since the harness was made, also before a reopening. */
  readonly commits: Commit[];
  readonly reports: { event: string; facts: Record<string, unknown> | undefined }[];
  /** Closes the store and opens it again on the same data, as a restart does. */
  reopen(): Promise<Store>;
  close(): Promise<void>;
}
export type MakeHarness = () => Promise<StoreHarness>;

export interface SqliteHarness extends StoreHarness {
  readonly folder: string;
}

export async function sqliteHarness(): Promise<SqliteHarness> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-store-'));
  const commits: Commit[] = [];
  const reports: StoreHarness['reports'] = [];
  const random = seededRandom(1);
  const open = async () => {
    const store = await openSqliteStore({ folder, clock, random, report: (event, facts) => reports.push({ event, facts }), decisions });
    store.onCommit((commit) => commits.push(commit));
    return store;
  };
  let store = await open();
  return {
    folder,
    commits,
    reports,
    get store() {
      return store;
    },
    async reopen() {
      await store.close();
      return (store = await open());
    },
    async close() {
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export function command(given: string | null = null): Command {
  return { id: given, now: NOW };
}
export function sessionDraft(more: Partial<SessionDraft> = {}): SessionDraft {
  const own = { id: id(), workspace: '/home/anna/project', title: '', model: null, effort: null, mode: 'ask' as const, now: NOW };
  return { ...own, payloadHash: 'as created', ...more };
}
export async function newSession(store: Store, more: Partial<SessionDraft> = {}): Promise<SessionSummary> {
  return (await store.createSession(sessionDraft(more))).session;
}
/** A prompt of one text part, hashed as HTTP would. */
export function admission(sessionId: string, text: string, delivery: Delivery = 'steer', more: Partial<Admission> = {}): Admission {
  const content = more.content ?? [{ type: 'text' as const, text }];
  return {
    sessionId,
    inputId: id(),
    content,
    delivery,
    payloadHash: payloadHash(sessionId, content, delivery),
    composedAt: NOW,
    seenSeq: null,
    aimedTurnId: undefined,
    resume: null,
    now: NOW,
    ...more,
  };
}
export const noPreface: Preface = () => [];
/** An assistant's text row of a step. */
export function textRow(turnId: string, step: number, i: number, text: string): RecordDraft {
  return { kind: 'chunk', id: `${turnId}.${step}.m.${i}`, turnId, step, role: 'assistant', type: 'text', data: { text } };
}
export function usageRow(turnId: string, step: number): RecordDraft {
  const data = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, model: 'demo' };
  return { kind: 'chunk', id: `${turnId}.${step}.s.0`, turnId, step, role: 'system', type: 'usage', data };
}
export function approvalAsk(turnId: string, more: Partial<ApprovalAsk> = {}): ApprovalAsk {
  return { id: id(), turnId, step: 0, callId: 'call_1', name: 'run', effect: 'run', summary: 'ls', ...more };
}
/** Admits a prompt and opens a turn with it. */
export async function runningTurn(store: Store, sessionId: string, text = 'begin') {
  await store.admit(admission(sessionId, text));
  const opened = await store.openTurn(sessionId, 'runner', id(), NOW, noPreface);
  if (opened === null) throw new Error('the turn did not open');
  return opened;
}
export const DONE: Settlement = { reason: 'done', rows: [], pause: null, unlessSteers: false };
