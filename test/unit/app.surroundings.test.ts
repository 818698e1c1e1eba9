/** Which browser this is, and what is told of it: where it matters, once. */
import { describe, expect, test } from 'vitest';
import { hintOf, surroundingsOf, type BrowserFacts } from '../../app/composables/surroundings.ts';
import { memoryOwn } from '../../app/own/memory.ts';

const AGENT = {
  iphone:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
  iphoneChrome:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0.0.0 Mobile/15E148 Safari/604.1',
  macSafari: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15',
  macChrome: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  macFirefox: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0',
  android: 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
  webkitGtk: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.4 Safari/605.1.15',
};
const of = (agent: string, more: Partial<BrowserFacts> = {}) =>
  surroundingsOf({ agent, touchPoints: 0, secure: true, standalone: false, ...more });

describe('the browser', () => {
  test.each([
    ['Safari on a phone', AGENT.iphone, {}, 'ios', true],
    ['another browser on that phone, which is Safari inside', AGENT.iphoneChrome, {}, 'ios', true],
    ['the app on its home screen', AGENT.iphone, { standalone: true }, 'ios', false],
    ['a tablet that calls itself a Mac', AGENT.macSafari, { touchPoints: 5 }, 'ios', true],
    ['Safari on a Mac', AGENT.macSafari, {}, 'macos', true],
    ['the app in its Dock', AGENT.macSafari, { standalone: true }, 'macos', false],
    ['Chrome on a Mac', AGENT.macChrome, {}, 'macos', false],
    ['Firefox on a Mac', AGENT.macFirefox, {}, 'macos', false],
    ['Chrome on Android', AGENT.android, { touchPoints: 5 }, 'other', false],
    ['WebKit on Linux, which has no such rule', AGENT.webkitGtk, {}, 'other', false],
  ] as const)('%s', (_name, agent, more, system, forgetful) => {
    expect(of(agent, more)).toMatchObject({ system, forgetful });
  });
});

describe('what is told of it', () => {
  const facts = { signedIn: true, prompts: 0, away: [] as string[] };
  test('plain http, at first use and not before: nobody who cannot come in is told how to open it offline', () => {
    const plain = of(AGENT.android, { secure: false });
    expect(hintOf(plain, { ...facts, signedIn: false })).toBeNull();
    expect(hintOf(plain, facts)).toBe('plain-http');
    expect(hintOf(plain, { ...facts, away: ['plain-http'] })).toBeNull();
    expect(hintOf(of(AGENT.android), facts)).toBeNull();
  });
  test('seven days, once prompts wait in such a browser', () => {
    const safari = of(AGENT.iphone);
    expect(hintOf(safari, facts)).toBeNull();
    expect(hintOf(safari, { ...facts, prompts: 1 })).toBe('seven-days');
    expect(hintOf(safari, { ...facts, prompts: 1, away: ['seven-days'] })).toBeNull();
    expect(hintOf(of(AGENT.iphone, { standalone: true }), { ...facts, prompts: 1 })).toBeNull();
  });
  test('one at a time', () => {
    const both = of(AGENT.iphone, { secure: false });
    expect(hintOf(both, { ...facts, prompts: 1 })).toBe('plain-http');
    expect(hintOf(both, { ...facts, prompts: 1, away: ['plain-http'] })).toBe('seven-days');
  });
});

test('what was put away is kept with own work', async () => {
  const own = memoryOwn();
  expect(await own.fact('hintsAway')).toBeNull();
  await own.setFact('hintsAway', ['plain-http']);
  expect(await own.fact('hintsAway')).toEqual(['plain-http']);
});
