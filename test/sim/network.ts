/**
 * The network: requests and sockets of each device, as queues with a delay of their own. What travels can be late, lost after
 * the server acted, told twice, answered by somebody else; a socket can be open and carry nothing, for ever.
 */
import type { FetchAnswer, FetchInit, RawSocket, SocketListener } from '../../app/sync/ports.ts';
import type { Chance } from './chance.ts';
import type { WorldClock } from './clock.ts';
import type { Answered, Asked } from './exchange.ts';
import { HOST, ORIGIN, type SimServer } from './server.ts';
import type { ServerEnd } from './ws-pair.ts';

/**
 * `fine`: as a home network. `poor`: slow, and much is lost. `cut`: the device knows that it has none. `hole`: all that is sent
 * vanishes. `deaf`: what is sent arrives, no answer comes back. `portal`: somebody else answers everything.
 */
export type Weather = 'fine' | 'poor' | 'cut' | 'hole' | 'deaf' | 'portal';

/** One end of the network: a tab, or what else asks on a device. */
export interface Asker {
  readonly place: Place;
  /** Runs what arrives, unless it is dead; later, while it is frozen. */
  hear(callback: () => void): void;
}
/** A device, as the network sees it. */
export interface Place {
  readonly name: string;
  weather: Weather;
  /** Its cookie jar. */
  cookie: string | null;
}
export interface NetworkParts {
  clock: WorldClock;
  chance: Chance;
  server: SimServer;
  /** No chance is taken any more: nothing is lost, late or doubled. */
  calm(): boolean;
  count(what: string): void;
  /** The answer reached who asked. */
  answered(place: Place, asked: Asked, answer: Answered): void;
}

/** What answers in a portal's or a proxy's place. None of it says a word about Cairn's epoch. */
const IMPOSTORS: readonly { status: number; text: string; type: string }[] = [
  { status: 200, text: '<html>Sign in to Free WiFi</html>', type: 'text/html' },
  { status: 200, text: '{"ok":true}', type: 'application/json' },
  { status: 403, text: '{"error":{"code":"signed-out","message":"no","retryable":false}}', type: 'application/json' },
  { status: 401, text: '{"error":{"code":"device-revoked","message":"no","retryable":false}}', type: 'application/json' },
  { status: 404, text: '{"error":{"code":"not-found","message":"no","retryable":false}}', type: 'application/json' },
  { status: 413, text: 'too large', type: 'text/plain' },
  { status: 502, text: 'bad gateway', type: 'text/html' },
];
const lost = (): TypeError => new TypeError('fetch failed');

interface Pair {
  place: Place;
  end: ServerEnd | null;
  /** Nothing gets through any more, that way. */
  stuckUp: boolean;
  stuckDown: boolean;
  over: boolean;
  cutOff(): void;
}

export class Network {
  readonly #parts: NetworkParts;
  readonly #pairs = new Set<Pair>();
  /** The history that each device was last welcomed to. */
  readonly #epochs = new Map<Place, string>();

  constructor(parts: NetworkParts) {
    this.#parts = parts;
  }

  /** The weather changes: what was open goes on, dies loudly, or goes on saying that it is open. */
  turn(place: Place, weather: Weather): void {
    place.weather = weather;
    if (weather === 'fine' || weather === 'poor') return;
    for (const pair of this.#pairs) {
      if (pair.place !== place) continue;
      if (weather === 'cut' && this.#parts.chance.is(0.5)) pair.cutOff();
      pair.stuckDown = true;
      pair.stuckUp = weather !== 'deaf';
      this.#parts.count('half-open');
    }
  }
  /** Every socket of a device stays open and carries nothing, while new ones work: it slept, or moved to another network. */
  freezeSockets(place: Place): void {
    for (const pair of this.#pairs) {
      if (pair.place !== place) continue;
      pair.stuckUp = pair.stuckDown = true;
      this.#parts.count('half-open');
    }
  }
  /** The server is gone: whoever is still connected to it is told by its system. */
  serverDied(): void {
    for (const pair of this.#pairs) if (!pair.stuckDown) pair.cutOff();
  }

  fetch(from: Asker, path: string, { method, headers, body, signal }: FetchInit): Promise<FetchAnswer> {
    const { clock, count, server } = this.#parts;
    const { place } = from;
    return new Promise<FetchAnswer>((resolve, reject) => {
      const fail = (): void => from.hear(() => reject(lost()));
      signal.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')), { once: true });
      const credentials: Record<string, string> = place.cookie === null ? {} : { cookie: place.cookie };
      const origin: Record<string, string> = method === 'GET' ? {} : { origin: ORIGIN };
      const asked: Asked = { method, path, headers: { ...headers, host: HOST, ...origin, ...credentials }, body };
      if (place.weather === 'cut') return void clock.after(1, fail);
      if (place.weather === 'portal') return this.#impostor(from, resolve);
      if (place.weather === 'hole' || this.#happens(place, 0.02)) return count('request-lost');
      const arrives = this.#delay(place);
      clock.after(arrives, () => {
        if (!server.isUp) return void clock.after(1, fail);
        server.ask(asked, (answer) => this.#answer(from, asked, answer, resolve, fail));
      });
      if (method !== 'GET' && this.#happens(place, 0.04)) this.#again(asked, arrives);
    });
  }
  #answer(from: Asker, asked: Asked, answer: Answered, resolve: (answer: FetchAnswer) => void, fail: () => void): void {
    const { clock, count } = this.#parts;
    const { place } = from;
    if (place.weather !== 'fine' && place.weather !== 'poor') return count('answer-lost');
    if (this.#happens(place, 0.03)) {
      count('answer-lost');
      return void clock.after(this.#delay(place), fail);
    }
    clock.after(this.#delay(place), () => {
      if (place.weather !== 'fine' && place.weather !== 'poor') return count('answer-lost');
      const cookie = answer.headers['set-cookie'];
      if (cookie !== undefined) place.cookie = cookie.includes('Max-Age=0') ? null : (cookie.split(';')[0] ?? null);
      from.hear(() => {
        this.#parts.answered(place, asked, answer);
        resolve({
          status: answer.status,
          headers: { get: (name) => answer.headers[name.toLowerCase()] ?? null },
          text: async () => answer.text,
        });
      });
    });
  }
  /** It arrives a second time, maybe long after everybody has forgotten it. */
  #again(asked: Asked, after: number): void {
    const { clock, chance, server, count } = this.#parts;
    clock.after(after + chance.whole(1, chance.is(0.5) ? 100 : 90_000), () => {
      if (!server.isUp) return;
      count('request-twice');
      server.ask(asked, () => undefined);
    });
  }
  #impostor(from: Asker, resolve: (answer: FetchAnswer) => void): void {
    const { clock, chance, count } = this.#parts;
    const { status, text, type } = chance.pick(IMPOSTORS)!;
    count('impostor');
    clock.after(this.#delay(from.place), () =>
      from.hear(() => resolve({ status, headers: { get: (name) => (name === 'content-type' ? type : null) }, text: async () => text })),
    );
  }

  socket(from: Asker, listener: SocketListener): RawSocket {
    const { clock, server, count } = this.#parts;
    const { place } = from;
    let upAt = 0;
    let downAt = 0;
    let closedHere = false;
    const tell = (callback: () => void): void => from.hear(() => closedHere || callback());
    const gone = (code: number): void => {
      if (pair.over) return;
      pair.over = true;
      this.#pairs.delete(pair);
      tell(() => listener.closed(code));
    };
    const pair: Pair = { place, end: null, stuckUp: false, stuckDown: false, over: false, cutOff: () => gone(1006) };
    const up = (then: () => void): void => {
      upAt = Math.max(upAt, clock.now() + this.#delay(place));
      clock.after(upAt - clock.now(), () => pair.stuckUp || then());
    };
    const down = (then: () => void): void => {
      downAt = Math.max(downAt, clock.now() + this.#delay(place));
      clock.after(downAt - clock.now(), () => pair.stuckDown || then());
    };
    this.#pairs.add(pair);
    if (place.weather === 'cut' || place.weather === 'portal') clock.after(2, () => gone(1006));
    else if (place.weather === 'hole' || place.weather === 'deaf') pair.stuckUp = pair.stuckDown = true;
    up(() => {
      if (pair.over || !server.isUp) return down(() => gone(1006));
      const headers: Record<string, string> = { host: HOST, origin: ORIGIN, ...(place.cookie === null ? {} : { cookie: place.cookie }) };
      server.upgrade(
        headers,
        {
          opened: (end) => {
            pair.end = end;
            if (pair.over) end.lost();
            else down(() => pair.over || tell(() => listener.opened()));
          },
          down: (text, left) =>
            down(() => {
              left();
              if (pair.over) return;
              if (text.startsWith('{"type":"gap"')) count('gap');
              if (text.startsWith('{"type":"welcome"')) this.#welcomed(place, (JSON.parse(text) as { epoch: string }).epoch);
              tell(() => listener.message(text));
            }),
          ping: () => down(() => up(() => pair.end?.heardPong())),
          closed: (code) => down(() => gone(code)),
        },
        () => down(() => gone(1006)),
      );
    });
    return {
      send: (text) => {
        if (!pair.over) up(() => pair.end?.hear(text));
      },
      close: () => {
        closedHere = true;
        if (pair.over) return;
        pair.over = true;
        this.#pairs.delete(pair);
        up(() => pair.end?.lost());
      },
    };
  }

  #welcomed(place: Place, epoch: string): void {
    if ((this.#epochs.get(place) ?? epoch) !== epoch) this.#parts.count('reset');
    this.#epochs.set(place, epoch);
  }
  #happens(place: Place, probability: number): boolean {
    if (this.#parts.calm()) return false;
    return this.#parts.chance.is(place.weather === 'poor' ? probability * 6 : probability);
  }
  #delay(place: Place): number {
    const { chance, calm } = this.#parts;
    if (calm()) return 2;
    if (place.weather === 'poor') return chance.is(0.1) ? chance.whole(1_000, 20_000) : chance.whole(50, 900);
    return chance.is(0.02) ? chance.whole(500, 6_000) : chance.whole(1, 40);
  }
}
