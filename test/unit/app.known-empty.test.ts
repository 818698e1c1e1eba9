/** Law 16 at the very first look: that there is no session is the server's to say. */
import { expect, test } from 'vitest';
import { isKnownEmpty } from '../../app/composables/known-empty.ts';

const none = { loaded: true, count: 0 };

test('a device that has none yet does not say so while it asks', () => {
  expect([isKnownEmpty(false, none, 'connecting'), isKnownEmpty(false, none, 'catching-up')]).toEqual([false, false]);
  expect(isKnownEmpty(false, none, 'live')).toBe(true);
});
test('with nobody to ask, what is here is all there is', () => {
  for (const kind of ['offline', 'signed-out', 'update-needed', 'server-old'] as const) expect(isKnownEmpty(false, none, kind)).toBe(true);
});
test('said once, it stays said while the link is looked for again, until there is a session', () => {
  expect(isKnownEmpty(true, none, 'connecting')).toBe(true);
  expect(isKnownEmpty(true, { loaded: true, count: 1 }, 'live')).toBe(false);
  expect(isKnownEmpty(true, { loaded: false, count: 0 }, 'live')).toBe(false);
});
