/** Law 11 in forks: a fork's wire is its origin's up to the cut, byte for byte, wherever it is cut; the origin stays as it was (law 6). */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isShown, type LogRecord } from '#shared/protocol/records.ts';
import type { SessionSummary } from '#shared/protocol/summaries.ts';
import { buildWire } from '../../server/agent/wire.ts';
import { newSession, sessionDraft, sqliteHarness } from '../support/store-harness.ts';
import { keep, type Noise } from '../support/store-wire.ts';
import { wholeLog } from '../support/store-test.ts';
import { HISTORY_SOURCE, histories, play } from '../wire/histories.ts';

const noises = fc.array(fc.constantFrom<Noise>('nothing', 'renamed', 'cancelled', 'failed', 'went on', 'repaired', 'cut'), {
  minLength: 1,
  maxLength: 4,
});

/** The wires that could be asked for at the end of these records; what cannot be built says why. */
function wires(records: readonly LogRecord[]): string[] {
  return (['anthropic', 'plain'] as const).flatMap((profile) =>
    [true, false].map((thinking) => {
      try {
        return JSON.stringify(buildWire(records, { profile, source: HISTORY_SOURCE, thinking }));
      } catch (error) {
        return String(error);
      }
    }),
  );
}

/** Seqs at which a turn is open: from its first record to before its settling. */
function openAt(log: readonly LogRecord[]): (seq: number) => boolean {
  const spans = new Map<string, { from: number; to: number }>();
  for (const { turnId, seq, type } of log) {
    if (turnId === null) continue;
    const span = spans.get(turnId) ?? { from: seq, to: Number.POSITIVE_INFINITY };
    spans.set(turnId, type === 'turn-settled' ? { ...span, to: seq } : span);
  }
  return (cut) => [...spans.values()].some(({ from, to }) => from <= cut && cut < to);
}

test('forks at every cut of random histories: dense, counted, marked, on the same wire; no cut within a turn; the origin untouched', async () => {
  let made = 0;
  let refused = 0;
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(histories, noises, async (history, noise) => {
      const harness = await sqliteHarness();
      try {
        const { store } = harness;
        const { id: sessionId } = await newSession(store);
        await keep(store, sessionId, play(history, () => undefined).records, noise);
        const before = { log: JSON.stringify(await wholeLog(harness, sessionId)), summary: await store.session(sessionId) };
        const log = await wholeLog(harness, sessionId);
        const full = await store.history(sessionId, 0);
        const marks = await store.turns(sessionId, null, 100);
        const isOpen = openAt(log);
        for (const one of noise) seen.add(one);
        for (let seq = 0; seq <= log.length; seq++) {
          const draft = sessionDraft({ origin: { sessionId, seq } });
          const [answer] = await Promise.allSettled([store.createSession(draft)]);
          const refusal = answer.status === 'rejected' ? (answer.reason as { code?: string }).code : null;
          expect(refusal, `cut at ${seq}`).toBe(isOpen(seq) ? 'conflict' : null);
          if (answer.status === 'rejected') {
            refused++;
            continue;
          }
          const { session } = answer.value;
          const copy = await wholeLog(harness, draft.id);
          expect(copy.map((record) => record.seq)).toEqual(copy.map((_, at) => at + 1));
          expect([session.head, session.total]).toEqual([copy.length, copy.filter((one) => one.kind === 'chunk' && isShown(one)).length]);
          expect(wires(await store.history(draft.id, 0)), `cut at ${seq}`).toEqual(wires(full.filter((record) => record.seq <= seq)));
          const copied = await store.turns(draft.id, null, 100);
          expect(copied.map(({ words, createdAt }) => [words, createdAt])).toEqual(
            marks.filter((mark) => mark.seq <= seq).map(({ words, createdAt }) => [words, createdAt]),
          );
          expect(copied.map((mark) => copy.find((record) => record.turnId === mark.turnId)?.seq)).toEqual(copied.map((mark) => mark.seq));
          made++;
        }
        expect({ log: JSON.stringify(await wholeLog(harness, sessionId)), summary: await store.session(sessionId) }).toEqual(before);
      } finally {
        await harness.close();
      }
    }),
    { numRuns: 25 },
  );
  expect([made > 100, refused > 200, seen.size]).toEqual([true, true, 7]);
}, 120_000);

test('a fork of a fork of a fork is on the wire of the first', async () => {
  await fc.assert(
    fc.asyncProperty(histories, noises, async (history, noise) => {
      const harness = await sqliteHarness();
      try {
        const { store } = harness;
        const first = await newSession(store);
        await keep(store, first.id, play(history, () => undefined).records, noise);
        const wire = wires(await store.history(first.id, 0));
        let last = (await store.session(first.id)) as SessionSummary;
        for (let times = 0; times < 3; times++) {
          const draft = sessionDraft({ origin: { sessionId: last.id, seq: last.head } });
          last = (await store.createSession(draft)).session;
          expect(wires(await store.history(draft.id, 0))).toEqual(wire);
        }
      } finally {
        await harness.close();
      }
    }),
    { numRuns: 15 },
  );
}, 60_000);
