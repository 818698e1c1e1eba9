/** Performs the effects of `state.ts`: the socket, its timers, and the question at the door. */
import { backoff } from '#shared/backoff.ts';
import type { DownFrame, UpFrame } from '#shared/protocol/frames.ts';
import { ROUTES } from '#shared/protocol/routes.ts';
import { PROTOCOL } from '#shared/protocol/version.ts';
import type { Random, Report, Timers } from '#shared/ports.ts';
import type { Http } from './http.ts';
import type { OpenSocket } from './ports.ts';
import { LinkSocket } from './socket.ts';
import { link, LINK_BACKOFF, OFF, type LinkEffect, type LinkEvent, type LinkState, type TimerName } from './state.ts';

export type Welcome = Extract<DownFrame, { type: 'welcome' }>;
export interface LinkParts {
  socket: OpenSocket;
  http: Http;
  timers: Timers;
  random: Random;
  report: Report;
  device(): string | null;
  up(welcome: Welcome): void;
  down(): void;
  /** `epoch`: of the history that it is of. */
  frame(frame: DownFrame, epoch: string): void;
  /** Any frame came. */
  heard(): void;
  /** The state is another one. */
  changed(state: LinkState): void;
  /** The door said that this device is not signed in; `revoked`: it was signed out from elsewhere. */
  signedOut(revoked: boolean): void;
}

export class Link {
  state: LinkState = OFF;
  readonly #parts: LinkParts;
  readonly #socket: LinkSocket;
  readonly #timers = new Map<TimerName, () => void>();
  #welcome: Welcome | null = null;

  constructor(parts: LinkParts) {
    this.#parts = parts;
    this.#socket = new LinkSocket(
      parts.socket,
      {
        opened: (socket) => this.dispatch({ type: 'opened', socket }),
        closed: (socket, code) => this.dispatch({ type: 'closed', socket, code }),
        frame: (socket, frame) => this.#frame(socket, frame),
      },
      parts.report,
    );
  }

  send(frame: UpFrame): void {
    this.#socket.send(frame);
  }
  dispatch(event: LinkEvent): void {
    const before = this.state;
    const { state, effects } = link(before, event);
    this.state = state;
    for (const effect of effects) this.#perform(effect);
    if (state !== before) this.#parts.changed(state);
  }

  #frame(socket: number, frame: DownFrame): void {
    this.#parts.heard();
    if (frame.type === 'welcome') {
      this.#welcome = frame;
      return this.dispatch({ type: 'welcome', socket, protocol: frame.protocol });
    }
    if (this.state.probing) this.dispatch({ type: 'heard', socket });
    if (frame.type !== 'pong' && this.state.phase === 'up' && this.#welcome !== null) this.#parts.frame(frame, this.#welcome.epoch);
  }
  #perform(effect: LinkEffect): void {
    switch (effect.type) {
      case 'connect':
        return this.#socket.connect(effect.socket);
      case 'drop':
        return this.#socket.drop();
      case 'hello':
        return this.send({ type: 'hello', protocol: PROTOCOL, device: this.#parts.device() });
      case 'ping':
        return this.send({ type: 'ping' });
      case 'timer':
        return this.#timer(effect.name, effect.ms);
      case 'backoff':
        return this.#timer('backoff', backoff(effect.attempt, LINK_BACKOFF[effect.pace], this.#parts.random));
      case 'clear':
        return this.#clear(effect.name);
      case 'ask-door':
        return void this.#askDoor();
      case 'up':
        return this.#welcome === null ? undefined : this.#parts.up(this.#welcome);
      case 'down':
        return this.#parts.down();
    }
  }
  #timer(name: TimerName, ms: number): void {
    this.#clear(name);
    const cancel = this.#parts.timers.after(ms, () => {
      this.#timers.delete(name);
      this.dispatch({ type: 'timer', name });
    });
    this.#timers.set(name, cancel);
  }
  #clear(name: TimerName): void {
    this.#timers.get(name)?.();
    this.#timers.delete(name);
  }
  async #askDoor(): Promise<void> {
    const answer = await this.#parts.http.ask('GET', `${ROUTES.sessions()}?limit=1`);
    if (answer.kind === 'refused' && answer.status === 401) {
      this.dispatch({ type: 'door', answer: 'signed-out' });
      this.#parts.signedOut(answer.code === 'device-revoked');
    } else this.dispatch({ type: 'door', answer: answer.kind === 'trouble' ? 'silent' : 'open' });
  }
}
