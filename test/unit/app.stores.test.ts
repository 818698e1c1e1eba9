/** B31: what is in view costs nothing to change: raw, frozen, and a delta touches what is live only, however large the window is. */
import { createPinia, setActivePinia, type PiniaPluginContext } from 'pinia';
import { beforeEach, describe, expect, test } from 'vitest';
import { createApp, isProxy, nextTick, watch, type App } from 'vue';
import { group } from '#shared/chunks/group.ts';
import { viewOf } from '#shared/chunks/view.ts';
import { screenOf } from '../../app/stores/screen.ts';
import { useTranscriptStore } from '../../app/stores/transcript.ts';
import { Played } from '../support/device/played.ts';
import { hasReactive } from '../support/device/watch.ts';

let app: App;
let walked = 0;
/** As devtools and persistence plugins do: watches all state in depth, and reads everything at each change. */
function nosy({ store, pinia }: PiniaPluginContext): void {
  const read = (value: unknown, depth = 0): void => {
    walked++;
    if (typeof value === 'object' && value !== null && depth < 12) for (const entry of Object.values(value)) read(entry, depth + 1);
  };
  store.$subscribe((_, state) => read({ ...state, chunks: null, live: null, wholes: null }), { flush: 'sync' });
  watch(
    () => pinia.state.value[store.$id],
    () => undefined,
    { deep: true, flush: 'sync' },
  );
}
async function open(limit: number, chunks: number, plugin: ((context: PiniaPluginContext) => void) | null = nosy) {
  const pinia = createPinia();
  app = createApp({});
  if (plugin !== null) pinia.use(plugin);
  app.use(pinia);
  setActivePinia(pinia);
  const screen = screenOf(pinia);
  const store = useTranscriptStore(pinia);
  const at = new Played({ screen, limit });
  at.history(chunks, (n) => `paragraph ${n} `.repeat(20));
  await at.mirrored();
  at.connect();
  await at.transcript.open(null);
  at.transcript.atTail(false);
  // As full as it gets with its end still in it.
  while (store.chunks.length + 60 <= limit) await at.transcript.loadOlder();
  at.transcript.atTail(true);
  await at.settle();
  return { at, store };
}
beforeEach(() => {
  walked = 0;
});

test('B31: sealed chunks are raw and frozen at every depth, through the real store with a plugin that reads all of it', async () => {
  const { at, store } = await open(64, 100);
  at.openTurn('now');
  at.begin(0, 'message');
  at.stream([{ type: 'tool-call-start', i: 0, callId: 'c', name: 'read', caller: { nested: [{ deep: { deeper: [1, { x: 1 }] } }] } }]);
  at.stream([
    { type: 'raw', i: 1, block: { a: { b: { c: [{}] } } } },
    { type: 'tool-call-end', i: 0 },
  ]);
  at.seal();
  at.begin(0, 'tools');
  at.stream([{ type: 'tool-output', i: 0, callId: 'c', stream: 'stdout', text: 'x' }]);
  await at.settle();
  await nextTick();
  expect(walked).toBeGreaterThan(0);
  expect(store.chunks.length).toBe(64);
  for (const value of [store.chunks, store.live, store.groups, store.wholes, store.receipts, store.$state.chunks, store.$state.live]) {
    expect(isProxy(value)).toBe(false);
    expect(hasReactive(value)).toBe(false);
  }
  const deep = (value: unknown): boolean =>
    typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(deep));
  expect(store.chunks.every(deep)).toBe(true);
});

test('B31: one delta changes `live` and nothing else of the store', async () => {
  const { at, store } = await open(64, 100);
  at.openTurn('now');
  at.begin(0, 'message');
  at.stream([{ type: 'text-delta', i: 0, text: 'a' }]);
  await at.settle();
  const changed: string[] = [];
  for (const key of Object.keys(store.$state))
    watch(
      () => store.$state[key as keyof typeof store.$state],
      () => void changed.push(key),
      { flush: 'sync' },
    );
  const before = store.groups;
  for (let n = 0; n < 20; n++) {
    at.stream([{ type: 'text-delta', i: 0, text: 'b' }]);
    at.deliver();
  }
  expect(changed).toEqual(Array(20).fill('live'));
  // One group is another object, and that is the one which grew.
  const others = store.groups.filter((entry) => !before.includes(entry));
  expect(others.map(({ key }) => key)).toEqual(['now.0']);
  expect(store.groupOf('now.0')).toBe(others[0]);
  expect(store.lastTurnId).toBe('now');
});

test('the groups are those of all chunks, sealed and live, at every delta and across the seal', async () => {
  const { at, store } = await open(64, 100);
  const keys: string[] = [];
  const check = (): void => {
    const sealed = new Set(store.chunks.map(({ id }) => id));
    const all = group([...store.chunks, ...viewOf(store.live, (id) => sealed.has(id))]);
    expect(store.groups).toEqual(all);
    for (const { key } of store.groups) expect(store.groupOf(key)?.key).toBe(key);
    keys.push(store.groups.at(-1)!.key);
  };
  at.openTurn('now');
  for (let step = 0; step < 3; step++) {
    at.begin(step, 'message');
    await at.settle();
    for (const i of [0, 1, 2]) {
      at.stream([
        { type: 'tool-call-start', i, callId: `c${step}${i}`, name: 'run' },
        { type: 'tool-call-end', i },
      ]);
      at.deliver();
      check();
    }
    at.seal();
    await at.settle();
    check();
    at.begin(step, 'tools');
    for (const i of [2, 0, 1]) {
      at.stream([{ type: 'tool-output', i, callId: `c${step}${i}`, stream: 'stdout', text: 'x' }]);
      at.deliver();
      check();
    }
    at.stream([{ type: 'tool-end', i: 1, callId: `c${step}1`, isError: false }]);
    at.seal(1);
    await at.settle();
    check();
    at.seal();
    await at.settle();
    check();
  }
  expect(new Set(keys)).toEqual(new Set(['now.0', 'now.1', 'now.2']));
});

describe('B31: what a delta costs', () => {
  /** Chunks that are read for one delta, from the frame to the groups: counted, since time is no test. */
  test.each([
    ['plain', null],
    ['with a plugin that watches all state in depth', nosy],
  ])('does not depend on the window: %s', async (_, plugin) => {
    const reads: number[] = [];
    for (const limit of [64, 1024]) {
      const { at, store } = await open(limit, limit + 50, plugin);
      at.openTurn('now');
      at.begin(0, 'message');
      at.stream([{ type: 'text-delta', i: 0, text: 'a' }]);
      await at.settle();
      expect(store.chunks.length).toBeGreaterThan(limit - 60);
      void store.groups;
      // Every look at a sealed chunk of the window is counted from here on.
      let looks = 0;
      const counted = new Proxy(store.chunks, {
        get(target, key) {
          looks++;
          return Reflect.get(target, key) as unknown;
        },
      });
      store.chunks = counted;
      void store.groups;
      looks = 0;
      const live = store.live!;
      const next = { ...live, chunks: live.chunks.map((chunk) => ({ ...chunk, data: { text: 'ab' } })) };
      store.live = next;
      void [store.groups, store.lastTurnId, store.groupOf('now.0')];
      reads.push(looks);
    }
    expect(reads[1]).toBe(reads[0]);
    expect(reads[0]).toBeLessThan(5);
  });
});
