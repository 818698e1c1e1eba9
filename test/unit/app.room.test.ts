/** What a browser tells of the room that the app takes, and one that tells only a part of it. */
import { expect, test } from 'vitest';
import { roomOf } from '../../app/composables/room.ts';

const estimate = () => Promise.resolve({ usage: 5, quota: 10 });
const persisted = () => Promise.resolve(true);

test('both are told where both are known', async () => {
  expect(await roomOf({ estimate, persisted })).toEqual({ used: 5, kept: true });
});
test('a browser that says what it keeps and not how much (Safari 16) is heard all the same', async () => {
  expect(await roomOf({ persisted })).toEqual({ used: null, kept: true });
});
test('nothing is known where the browser has no such thing', async () => {
  expect(await roomOf({})).toEqual({ used: null, kept: null });
  expect(await roomOf(undefined)).toEqual({ used: null, kept: null });
});
test('bytes that it leaves out are not told', async () => {
  expect(await roomOf({ estimate: () => Promise.resolve({}), persisted })).toEqual({ used: null, kept: true });
});
