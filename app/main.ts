/** Builds the app: the only file of this side that names the real clock, randomness, network and disk. */
import { createPinia } from 'pinia';
import { createApp } from 'vue';
import { CHUNK_LIMIT } from '#shared/protocol/limits.ts';
import { ROUTES } from '#shared/protocol/routes.ts';
import type { Report, Timers } from '#shared/ports.ts';
import App from './App.vue';
import { COMMANDS } from './composables/commands.ts';
import { tokenFrom } from './composables/sign-in-token.ts';
import { SURROUNDINGS, surroundingsOf, type Surroundings } from './composables/surroundings.ts';
import { clock, locks, openChannel, OWN_DATABASE, random, request, timers } from './pwa/browser.ts';
import { createAppRouter } from './router.ts';
import { screenOf } from './stores/screen.ts';
import { commandsOf } from './sync/commands-of.ts';
import { Engine } from './sync/engine.ts';
import { keptOn } from './sync/kept.ts';
import type { OpenSocket, Page } from './sync/ports.ts';

const report: Report = (event, facts) => console.warn(`[cairn] ${event}`, facts ?? '');

const socket: OpenSocket = ({ opened, message, closed }) => {
  const raw = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}${ROUTES.live()}`);
  raw.addEventListener('open', opened);
  raw.addEventListener('message', (event) => message(event.data));
  raw.addEventListener('close', (event) => closed(event.code));
  return raw;
};

const page: Page = {
  visible: () => document.visibilityState === 'visible',
  onWake(callback) {
    document.addEventListener('visibilitychange', () => page.visible() && callback());
    window.addEventListener('online', callback);
    window.addEventListener('pageshow', callback);
  },
  onHide(callback) {
    document.addEventListener('visibilitychange', () => page.visible() || callback());
    window.addEventListener('pagehide', callback);
  },
};

/** Where there are no idle callbacks, the time between some frames has to do. */
const idle = (within: number): Promise<void> =>
  new Promise((resolve) => {
    if ('requestIdleCallback' in window) requestIdleCallback(() => resolve(), { timeout: within });
    else setTimeout(resolve, Math.min(within, 50));
  });

async function roomUsed(): Promise<number | null> {
  if (!('storage' in navigator) || !('estimate' in navigator.storage)) return null;
  const { usage, quota } = await navigator.storage.estimate();
  return usage === undefined || quota === undefined || quota === 0 ? null : usage / quota;
}

/** A grant that was given stays; one that was not is asked for once in each window. */
let keptAsked = false;
function askToKeep(): void {
  if (keptAsked || !('storage' in navigator) || !('persist' in navigator.storage)) return;
  keptAsked = true;
  navigator.storage.persist().catch((error: unknown) => report('disk.persist', { error }));
}

/** Some browsers forbid even looking at it. */
function diskParts(): { indexedDB: IDBFactory; IDBKeyRange: typeof IDBKeyRange; timers: Timers } | null {
  try {
    return 'indexedDB' in window && window.indexedDB !== null
      ? { indexedDB: window.indexedDB, IDBKeyRange: window.IDBKeyRange, timers }
      : null;
  } catch (error) {
    report('disk.forbidden', { error });
    return null;
  }
}

function surroundings(): Surroundings {
  const { userAgent: agent, maxTouchPoints: touchPoints } = navigator;
  // Older iOS says it by a property of its own.
  const own = 'standalone' in navigator && navigator.standalone === true;
  const standalone = own || window.matchMedia('(display-mode: standalone)').matches;
  return surroundingsOf({ agent, touchPoints, secure: window.isSecureContext, standalone });
}

/** What the list of devices calls this one: browser and system, as far as the user agent tells. */
function deviceName(agent: string): string {
  const browser = /(Edg|OPR|Firefox|Chrome|Safari)\//.exec(agent)?.[1] ?? 'Browser';
  const system = /(Android|iPhone|iPad|Windows|Mac OS X|CrOS|Linux)/.exec(agent)?.[1] ?? 'unknown system';
  return `${{ Edg: 'Edge', OPR: 'Opera' }[browser] ?? browser} on ${system.replace('Mac OS X', 'macOS')}`;
}

async function start(): Promise<void> {
  const pinia = createPinia();
  const screen = screenOf(pinia);
  const disk = diskParts();
  const kept = keptOn({
    disk,
    ownName: OWN_DATABASE,
    mirrorName: 'cairn-mirror',
    clock,
    random,
    timers,
    report,
    locks,
    screen,
    engine: () => engine,
  });
  const engine = new Engine({
    clock,
    random,
    timers,
    report,
    fetch: request,
    socket,
    locks,
    channel: openChannel(),
    page,
    idle,
    roomUsed,
    mirror: kept.mirror,
    own: kept.own,
    screen,
    transcripts: async () => (await import('./sync/transcript.ts')).Transcript,
    copying: async () => (await import('./sync/copying.ts')).Copying,
    chunkLimit: CHUNK_LIMIT.default,
  });
  const commands = commandsOf({ engine, deviceName: deviceName(navigator.userAgent), askToKeep });

  const token = location.hash.includes('t=') ? tokenFrom(location.href) : null;
  createApp(App).use(pinia).use(createAppRouter()).provide(COMMANDS, commands).provide(SURROUNDINGS, surroundings()).mount('#app');
  await engine.paint();
  if (token !== null) await signInWith(token);
  engine.connect();
  void kept.gather().catch((error: unknown) => report('own.gather', { error }));

  /** The token leaves the address as soon as the server has judged it; unheard, it stays for the next load. */
  async function signInWith(offered: string): Promise<void> {
    const answer = await commands.signIn(offered);
    if (!answer.ok && answer.reason === 'offline') return;
    history.replaceState(history.state, '', location.pathname + location.search);
    if (!answer.ok) screen.notice({ id: 'sign-in', tone: 'bad', strong: 'Not signed in.', text: answer.message });
  }
}

void start();
