/** What a fork says of itself, and which prompts a turn is said again with. */
import { describe, expect, test } from 'vitest';
import { forkOf } from '../../app/composables/fork-words.ts';
import { openingOf, withWords, type SealedPrompt } from '../../app/composables/prompt-turn.ts';
import { lastLine } from '../../app/composables/session-words.ts';
import { NOW, session } from '../gallery/sessions.ts';

describe('a fork', () => {
  const origin = session('The garden', 'harbour', 0, 'words');
  const { summary } = session('The garden (fork)', 'harbour', 0, '', { origin: { sessionId: origin.summary.id, seq: 40 } });

  test('is of its origin, at the place where it was cut', () => {
    expect(forkOf(summary, origin, true)).toEqual({ words: 'Fork of The garden', to: `/s/${origin.summary.id}/40` });
    const empty = { ...summary, origin: { sessionId: origin.summary.id, seq: 0 } };
    expect(forkOf(empty, origin, true)?.to).toBe(`/s/${origin.summary.id}`);
  });
  test('law 16: says deleted only when the server said so', () => {
    expect(forkOf(summary, null, true)).toEqual({ words: 'Fork of a deleted session', to: null });
    expect(forkOf(summary, null, false)).toEqual({ words: 'Fork of a session that is not on this device', to: null });
  });
  test('is none without an origin, also as an older version told it', () => {
    expect(forkOf(origin.summary, null, true)).toBeNull();
    expect(forkOf({ ...origin.summary, origin: null }, null, true)).toBeNull();
  });
  test('that waits here says what comes; one that was refused says why', () => {
    const held = { ...session('x', 'harbour', 0, '', { origin: { sessionId: 'o', seq: 1 } }, { heldHere: true, fresh: false }) };
    expect(lastLine(held, NOW)).toBe('Fork made here. Its history is copied when the link is back');
    expect(lastLine({ ...held, notMade: 'The session to fork from was deleted.' }, NOW)).toBe(
      'Not made. The session to fork from was deleted.',
    );
  });
});

describe('a turn said again', () => {
  let seq = 0;
  const prompt = (turnId: string, step: number, type = 'prompt'): SealedPrompt => {
    seq++;
    return { id: `${seq}`, seq, createdAt: 0, turnId, step, role: 'user', type, data: null };
  };
  const chunks = [
    prompt('a', 0),
    prompt('a', 0, 'text'),
    prompt('b', 0),
    prompt('b', 0),
    prompt('b', 0, 'text'),
    prompt('b', 1),
    prompt('c', 0),
    prompt('d', 0),
  ];
  const opening = (at: number): string[] | undefined => openingOf(chunks, chunks[at]!)?.map(({ id }) => id);

  test('is all the prompts that opened it, whichever of them is taken', () => {
    expect([opening(0), opening(2), opening(3), opening(6), opening(7)]).toEqual([['1'], ['3', '4'], ['3', '4'], ['7'], ['8']]);
  });
  test('is not told of by a prompt that joined it, nor by one that is not here', () => {
    expect([opening(5), openingOf(chunks, prompt('z', 0))]).toEqual([undefined, null]);
  });
  test('keeps what is no text', () => {
    const file = { type: 'attachment', sha256: 'a', name: 'n', mime: 'm' } as const;
    expect(withWords([{ type: 'text', text: 'old' }, file, { type: 'text', text: 'more' }], 'new')).toEqual([
      { type: 'text', text: 'new' },
      file,
    ]);
  });
});
