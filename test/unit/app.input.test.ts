/** What a key, a drag, a paste and a keyboard on the screen mean. */
import { describe, expect, it } from 'vitest';
import { composerKey, fieldKey, type KeyFacts } from '../../app/composables/composer-keys.ts';
import { moveAfter } from '../../app/composables/queue-order.ts';
import { tokenFrom } from '../../app/composables/sign-in-token.ts';
import { viewportBox } from '../../app/composables/viewport.ts';

const key = (more: Partial<KeyFacts> = {}): KeyFacts => ({
  key: 'Enter',
  keyCode: 13,
  isComposing: false,
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...more,
});

describe('Enter in the composer', () => {
  it('B32: never sends while composing, nor as Safari reports the Enter that ended it, with any modifier', () => {
    for (const modifier of [{}, { ctrlKey: true }, { metaKey: true }]) {
      expect(composerKey(key({ isComposing: true, ...modifier }), false)).toBeNull();
      expect(composerKey(key({ keyCode: 229, ...modifier }), false)).toBeNull();
    }
    expect(composerKey(key(), false)).toBe('send');
    expect(composerKey(key({ shiftKey: true }), false)).toBeNull();
    expect(composerKey(key({ key: 'a', keyCode: 65, ctrlKey: true }), false)).toBeNull();
  });
  it('R18: makes a newline under a thumb, and sends there with Ctrl or Cmd', () => {
    expect(composerKey(key(), true)).toBeNull();
    expect(composerKey(key({ ctrlKey: true }), true)).toBe('send');
    expect(composerKey(key({ metaKey: true }), true)).toBe('send');
  });
  it('B32: in a one-line field keeps or leaves, but not while composing', () => {
    expect([fieldKey(key()), fieldKey(key({ key: 'Escape', keyCode: 27 })), fieldKey(key({ key: 'x', keyCode: 88 }))]).toEqual([
      'keep',
      'leave',
      null,
    ]);
    expect(fieldKey(key({ isComposing: true }))).toBeNull();
    expect(fieldKey(key({ key: 'Escape', keyCode: 229 }))).toBeNull();
  });
});

describe('moving a queued prompt', () => {
  it('names the one that it comes behind, so that it ends at the place asked for', () => {
    const ids = ['a', 'b', 'c', 'd'];
    const rows = ids.map((id, at) => ({ id, place: at + 1 }));
    for (let from = 0; from < ids.length; from++) {
      for (let to = 0; to < ids.length; to++) {
        if (from === to) continue;
        const after = moveAfter(rows, from, to);
        const rest = ids.filter((_, at) => at !== from);
        rest.splice(after === null ? 0 : rest.indexOf(after!) + 1, 0, ids[from]!);
        expect(rest.indexOf(ids[from]!)).toBe(to);
      }
    }
  });
  it('goes behind what the server has, past what was cancelled and only stands there to be undone', () => {
    const rows = [
      { id: 'a', place: 1 },
      { id: 'gone', place: null },
      { id: 'b', place: 2 },
    ];
    expect([moveAfter(rows, 2, 1), moveAfter(rows, 2, 0), moveAfter(rows, 0, 2), moveAfter(rows, 0, 1)]).toEqual(['a', null, 'b', null]);
  });
  it('moves nothing past the ends, or to where it is', () => {
    const rows = ['a', 'b'].map((id, at) => ({ id, place: at + 1 }));
    expect(moveAfter(rows, 1, 1)).toBeUndefined();
    expect([moveAfter(rows, 0, -1), moveAfter(rows, 1, 2), moveAfter([], 0, 0)]).toEqual([undefined, undefined, undefined]);
  });
});

describe('signing in by paste', () => {
  it('takes the token, or the whole link, and nothing else', () => {
    expect(tokenFrom(' abc-123 ')).toBe('abc-123');
    expect(tokenFrom('http://127.0.0.1:4646/#t=abc-123')).toBe('abc-123');
    expect(tokenFrom('Open http://127.0.0.1:4646/#t=abc%2B1 in a browser')).toBe('abc+1');
    expect(tokenFrom('http://x/#t=50%')).toBe('50%');
    expect(['', '  ', 'two words', 'http://127.0.0.1:4646/'].map(tokenFrom)).toEqual([null, null, null, null]);
  });
});

describe('a keyboard over the page', () => {
  const page = { height: 844, offsetTop: 0, scale: 1, layoutHeight: 844 };
  it('B34: the app fits what is visible, comes back when it is gone, and a pinch zoom changes nothing', () => {
    expect(viewportBox({ ...page, height: 480, offsetTop: 60 })).toEqual({ height: 480, top: 60 });
    expect(viewportBox({ ...page, height: 476.4, offsetTop: -2 })).toEqual({ height: 476, top: 0 });
    expect(viewportBox(page)).toBe('full');
    expect(viewportBox({ ...page, height: 422, scale: 2 })).toBeNull();
  });
});
