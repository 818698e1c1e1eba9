/** Law 14: any split of the same deltas folds to the same chunks, and the live view equals the sealed rows. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { explode } from '#shared/chunks/explode.ts';
import { emptyFold, fold, foldOfSnapshot, snapshotOf, type LiveFold } from '#shared/chunks/fold.ts';
import { viewOf } from '#shared/chunks/view.ts';
import type { AgentEvent, StepEvent } from '#shared/protocol/agent-events.ts';
import { at, batches, interleave, messageStep, sizes, toolsStep, TURN, type RandomStep } from '../support/streams.ts';

const empty = (phase: RandomStep['phase']): LiveFold => emptyFold({ turnId: TURN, step: 0, attempt: 0, phase });
const foldAll = (phase: RandomStep['phase'], events: readonly AgentEvent[]): LiveFold => fold(empty(phase), events);
const anyStep = fc.oneof(messageStep, toolsStep);

/** Every delta that carries text, cut into single characters and empty pieces. */
function shattered(events: readonly AgentEvent[]): AgentEvent[] {
  return events.flatMap((event): AgentEvent[] =>
    'text' in event && event.type !== 'status' ? ['', ...event.text].map((text): AgentEvent => ({ ...event, text })) : [event],
  );
}
/** Neighbouring deltas of one place joined, as a frame does it. */
function joined(events: readonly AgentEvent[]): AgentEvent[] {
  const all: AgentEvent[] = [];
  for (const event of events) {
    const last = all.at(-1);
    const same = last !== undefined && JSON.stringify({ ...last, text: '' }) === JSON.stringify({ ...event, text: '' });
    if (same && 'text' in last && 'text' in event) all[all.length - 1] = { ...last, text: last.text + event.text };
    else all.push(event);
  }
  return all;
}

describe('law 14: folding ignores batching', () => {
  it('any cut of a stream into batches folds to the same', () => {
    fc.assert(
      fc.property(anyStep, sizes, ({ phase, events }, cuts) => {
        const whole = foldAll(phase, events);
        expect(batches(events, cuts).reduce(fold, empty(phase))).toEqual(whole);
        expect(events.reduce((state, event) => fold(state, [event]), empty(phase))).toEqual(whole);
      }),
    );
  });

  it('deltas may be cut finer or joined', () => {
    fc.assert(
      fc.property(anyStep, ({ phase, events }) => {
        const whole = foldAll(phase, events);
        expect(foldAll(phase, joined(events))).toEqual(whole);
        expect(foldAll(phase, joined(shattered(events)))).toEqual(whole);
        expect(foldAll(phase, shattered(events))).toEqual(whole);
      }),
    );
  });

  it('parallel tools and interleaved blocks never mix, whatever the order they speak in', () => {
    fc.assert(
      fc.property(anyStep, fc.array(fc.nat(7), { minLength: 1 }), ({ phase, lists, events }, picks) => {
        const start = events.filter((event) => event.type === 'step-start');
        const other = [...start, ...interleave<StepEvent>(lists, picks).map((event) => at(event))];
        expect(foldAll(phase, other)).toEqual(foldAll(phase, events));
        const alone = lists.flatMap((list) => foldAll(phase, [...start, ...list.map((event) => at(event))]).chunks);
        expect(foldAll(phase, events).chunks).toEqual(alone);
      }),
    );
  });

  it('whoever joins in the middle, by a snapshot over the wire, folds on to the same chunks', () => {
    fc.assert(
      fc.property(anyStep, fc.nat(), ({ phase, events }, place) => {
        const cut = events.length === 0 ? 0 : place % (events.length + 1);
        const snapshot = JSON.parse(JSON.stringify(snapshotOf(foldAll(phase, events.slice(0, cut)), 3, 7))) as ReturnType<
          typeof snapshotOf
        >;
        const newcomer = fold(foldOfSnapshot(snapshot), events.slice(cut));
        expect(JSON.stringify(newcomer.chunks)).toBe(JSON.stringify(foldAll(phase, events).chunks));
      }),
    );
  });

  it('events of another turn or step leave a fold as it is', () => {
    fc.assert(
      fc.property(anyStep, anyStep, ({ phase, events }, other) => {
        const whole = foldAll(phase, events);
        const strangers = other.events.flatMap((event) => [
          { ...event, step: 1 },
          { ...event, turnId: 'another' },
        ]);
        expect(fold(whole, strangers)).toBe(whole);
      }),
    );
  });

  it('a fold never changes what an earlier answer holds', () => {
    fc.assert(
      fc.property(anyStep, ({ phase, events }) => {
        let state = empty(phase);
        for (const event of events) {
          const before = state;
          const frozen = JSON.stringify(before);
          state = fold(state, [event]);
          expect(JSON.stringify(before)).toBe(frozen);
          const untouched = state.chunks.filter((chunk) => before.chunks.includes(chunk)).length;
          expect(before.chunks.length - untouched).toBeLessThanOrEqual(event.type === 'step-start' ? before.chunks.length : 1);
        }
      }),
    );
  });
});

describe('law 14: the live view equals the sealed rows', () => {
  const shownOf = (rows: readonly { id: string; role: string; type: string; data: unknown }[]): unknown[] =>
    rows.map(({ id, role, type, data }) => ({ id, role, type, data }));

  it('a complete phase is sealed as it is seen', () => {
    fc.assert(
      fc.property(anyStep, ({ phase, events }) => {
        const live = foldAll(phase, events);
        expect(shownOf(explode(live, 'complete'))).toEqual(shownOf(viewOf(live, () => false)));
        expect(explode(live, 'complete').every((row) => row.turnId === TURN && row.step === 0)).toBe(true);
      }),
    );
  });

  it('an interrupted one keeps every word, and no call whose arguments never ended', () => {
    fc.assert(
      fc.property(messageStep, ({ events }) => {
        const live = foldAll('message', events);
        const rows = explode(live, 'interrupted');
        const lost = live.chunks.filter((chunk) => !rows.some((row) => row.id === chunk.id));
        expect(lost.every((chunk) => chunk.type === 'tool_call' && chunk.open)).toBe(true);
        expect(rows.filter((row) => row.type === 'tool_call')).toHaveLength(
          live.chunks.filter((chunk) => chunk.type === 'tool_call' && !chunk.open).length,
        );
      }),
    );
  });

  it('a live chunk goes when the row of its id is there, and only then', () => {
    fc.assert(
      fc.property(anyStep, fc.func(fc.boolean()), ({ phase, events }, sealed) => {
        const live = foldAll(phase, events);
        const ids = viewOf(live, sealed).map((chunk) => chunk.id);
        expect(ids).toEqual(live.chunks.map((chunk) => chunk.id).filter((id) => !sealed(id)));
      }),
    );
  });

  it('another attempt begins from nothing', () => {
    fc.assert(
      fc.property(messageStep, messageStep, (first, second) => {
        const again = second.events.map((event) => (event.type === 'step-start' ? { ...event, attempt: 1 } : event));
        const waited = fold(foldAll('message', first.events), [at({ type: 'retry', at: 9, reason: 'overloaded' })]);
        expect(waited.retry).toEqual({ at: 9, reason: 'overloaded' });
        expect(fold(waited, again)).toEqual({ ...foldAll('message', again), attempt: 1 });
      }),
    );
  });
});
