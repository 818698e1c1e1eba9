/** The bench's made-up histories are logs as the server keeps them. */
import { describe, expect, it } from 'vitest';
import { isShown } from '#shared/protocol/records.ts';
import { isUuid7 } from '#shared/ids.ts';
import { headOf, markOf, recordAt, recordsOf, shownSize, turnIdOf, type Plan } from '../bench/log/history.ts';
import { cut, markdown, numbered } from '../bench/log/words.ts';

const plan = (kind: Plan['kind']): Plan => ({
  sessionId: '01890000-0000-7000-8000-0123456789ab',
  kind,
  turns: 30,
  newest: 'The newest of all.',
});
const log = (of: Plan) => Array.from({ length: headOf(of) }, (_, at) => recordAt(of, at + 1));

describe.each(['work', 'talk'] as const)('a history of %s', (kind) => {
  const records = log(plan(kind));
  it('is dense, its ids are its own, and the same record comes again', () => {
    expect(records.map(({ seq }) => seq)).toEqual(records.map((_, at) => at + 1));
    expect(new Set(records.map(({ id }) => id)).size).toBe(records.length);
    expect(recordAt(plan(kind), 37)).toEqual(records[36]);
    expect(isUuid7(turnIdOf(plan(kind), 3))).toBe(true);
  });
  it('has as many shown chunks as it says, and ends with its newest words', () => {
    const shown = records.filter((record) => record.kind === 'chunk' && isShown(record));
    expect(shown).toHaveLength(30 * shownSize(kind));
    expect(shown.at(-1)!.data).toEqual({ text: 'The newest of all.' });
    expect(records.filter(({ data }) => JSON.stringify(data).includes('The newest of all.'))).toHaveLength(1);
    expect(recordsOf(plan(kind), 30 * shownSize(kind))).toBe(records.length);
  });
  it('answers every call once, after it', () => {
    const callIds = (type: string) =>
      records.filter((record) => record.type === type).map(({ data }) => (data as { callId: string }).callId);
    expect(callIds('tool_result')).toEqual(callIds('tool_call'));
    expect(new Set(callIds('tool_call')).size).toBe(callIds('tool_call').length);
  });
  it('lists its turns as the server does: by the prompt that opened each', () => {
    for (const turn of [0, 17, 29]) {
      const mark = markOf(plan(kind), turn);
      const prompt = records[mark.seq - 1]!;
      expect(prompt).toMatchObject({ type: 'prompt', turnId: mark.turnId, data: { content: [{ type: 'text', text: mark.words }] } });
    }
  });
  it('opens and settles every turn', () => {
    expect(records.filter(({ type }) => type === 'turn-started')).toHaveLength(30);
    expect(records.at(-1)!.type).toBe('turn-settled');
  });
});

describe('words to stream', () => {
  it('are as long as asked, with as many blocks of code, and nothing is lost by cutting', () => {
    const text = markdown(3, 200 * 1024, 10);
    expect(text).toHaveLength(200 * 1024);
    expect(text.match(/^```ts$/gm)).toHaveLength(10);
    const pieces = cut(text, 4_000);
    expect(pieces).toHaveLength(4_000);
    expect(pieces.join('')).toBe(text);
  });
  it('carry every number once, in order', () => {
    const pieces = numbered(3, 500);
    expect(pieces).toHaveLength(500);
    expect(pieces.map((piece) => Number(/t(\d{5})/.exec(piece)![1]))).toEqual(pieces.map((_, at) => at));
  });
});
