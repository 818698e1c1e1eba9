/** Puts a session that was made in memory (`test/wire`) into a store, turn by turn, as a runner would have. */
import type { ContentPart } from '#shared/protocol/content.ts';
import type { ChunkRecord, EventDataByType, LogRecord } from '#shared/protocol/records.ts';
import type { SessionSummary } from '#shared/protocol/summaries.ts';
import type { Claim, RecordDraft, Store } from '../../server/store/port.ts';
import { admission, command, DONE, id, NOW } from './store-harness.ts';

/** What else happens around a turn. */
export type Noise = 'nothing' | 'renamed' | 'cancelled' | 'failed' | 'went on' | 'repaired' | 'cut';

interface MadeTurn {
  prompts: ChunkRecord[];
  rest: LogRecord[];
}

export async function keep(store: Store, sessionId: string, records: readonly LogRecord[], noise: readonly Noise[] = []): Promise<void> {
  const header = records.find((record) => record.type === 'wire-header')?.data as EventDataByType['wire-header'];
  const begins: number[] = [];
  for (const [at, turn] of turnsOf(records).entries()) {
    const around = noise[at % Math.max(1, noise.length)] ?? 'nothing';
    await before(store, sessionId, around);
    for (const prompt of turn.prompts) await admit(store, sessionId, prompt);
    begins.push((await headOf(store, sessionId)) + 1);
    await run(store, sessionId, turn, header, around, begins);
  }
}

/** A turn is its opening prompts and all up to the next prompt of another turn. */
function turnsOf(records: readonly LogRecord[]): MadeTurn[] {
  const turns: MadeTurn[] = [];
  let turnId: string | null = null;
  for (const record of records) {
    if (record.type === 'wire-header') continue;
    const prompt = record.kind === 'chunk' && record.type === 'prompt' ? record : null;
    if (prompt !== null && record.turnId !== turnId) {
      turns.push({ prompts: [], rest: [] });
      turnId = record.turnId;
    }
    const turn = turns.at(-1)!;
    if (prompt !== null && turn.rest.length === 0) turn.prompts.push(prompt);
    else turn.rest.push(record);
  }
  return turns;
}

async function before(store: Store, sessionId: string, around: Noise): Promise<void> {
  if (around === 'renamed') await store.changeSession(sessionId, { title: `title ${await headOf(store, sessionId)}` }, null, command());
  if (around !== 'cancelled') return;
  const { receipt } = await store.admit(admission(sessionId, 'never mind', 'queue', { resume: false }));
  await store.cancelInput(sessionId, receipt.id, command());
}

async function run(
  store: Store,
  sessionId: string,
  turn: MadeTurn,
  header: EventDataByType['wire-header'],
  around: Noise,
  begins: readonly number[],
): Promise<void> {
  const turnId = id();
  const opened = await store.openTurn(sessionId, 'runner', turnId, NOW, (facts) =>
    facts.header ? [] : [{ kind: 'event', type: 'wire-header', turnId, data: header }],
  );
  const { claim } = opened!;
  const places = new Map<string, number>();
  let rows: RecordDraft[] = [];
  const flush = async (): Promise<void> => void (await store.seal(claim, rows.splice(0), NOW));
  for (const record of turn.rest) {
    if (record.kind === 'chunk' && record.type === 'prompt') {
      await flush();
      await admit(store, sessionId, record);
      await store.promoteSteers(claim, turnId, record.step!, NOW);
    } else if (record.kind === 'event') {
      await flush();
      await seal(store, claim, turnId, 'thinking-off', { to: await headOf(store, sessionId) });
    } else rows.push(draftOf(record, turnId, places));
  }
  await flush();
  rows = [];
  if (around === 'repaired') await seal(store, claim, turnId, 'thinking-off', { to: await headOf(store, sessionId) });
  if (around === 'cut') await seal(store, claim, turnId, 'context-cut', { from: begins.at(-2) ?? 1, to: begins.at(-1)! - 1 });
  const fails = around === 'failed' || around === 'went on';
  await store.settle(claim, turnId, fails ? { ...DONE, reason: 'failed', pause: 'failed' } : DONE, NOW);
  if (!fails) return;
  await store.resume(sessionId, null, command());
  if (around === 'went on') await goOn(store, sessionId);
}

/** The failed turn goes on in one that no prompt opens. */
async function goOn(store: Store, sessionId: string): Promise<void> {
  const turnId = id();
  const opened = await store.openTurn(sessionId, 'runner', turnId, NOW, () => []);
  const data = { text: 'where was I' };
  const row = { kind: 'chunk', id: `${turnId}.0.m.0`, turnId, step: 0, role: 'assistant', type: 'text', data } as const;
  await store.seal(opened!.claim, [row], NOW);
  await store.settle(opened!.claim, turnId, DONE, NOW);
}

async function admit(store: Store, sessionId: string, prompt: ChunkRecord): Promise<void> {
  const { content } = prompt.data as { content: ContentPart[] };
  await store.admit(admission(sessionId, '', 'steer', { content }));
}
async function seal<T extends 'thinking-off' | 'context-cut'>(
  store: Store,
  claim: Claim,
  turnId: string,
  type: T,
  data: EventDataByType[T],
): Promise<void> {
  await store.seal(claim, [{ kind: 'event', type, turnId, data } as RecordDraft], NOW);
}
function draftOf(record: ChunkRecord, turnId: string, places: Map<string, number>): RecordDraft {
  const { role, type, data } = record;
  const prefix = `${turnId}.${record.step}.${role === 'assistant' ? 'm' : role === 'tool' ? 't' : 's'}`;
  const i = places.get(prefix) ?? 0;
  places.set(prefix, i + 1);
  return { kind: 'chunk', id: `${prefix}.${i}`, turnId, step: record.step!, role, type, data };
}
async function headOf(store: Store, sessionId: string): Promise<number> {
  return ((await store.session(sessionId)) as SessionSummary).head;
}
