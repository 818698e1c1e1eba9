/** One WebSocket at a time: frames as values, and nothing more from one that was let go. */
import type { DownFrame, UpFrame } from '#shared/protocol/frames.ts';
import type { Report } from '#shared/ports.ts';
import type { OpenSocket, RawSocket } from './ports.ts';

export interface SocketEvents {
  opened(socket: number): void;
  frame(socket: number, frame: DownFrame): void;
  closed(socket: number, code: number): void;
}

export class LinkSocket {
  readonly #open: OpenSocket;
  readonly #events: SocketEvents;
  readonly #report: Report;
  #raw: RawSocket | null = null;
  /** Which socket is the one: an older one may still speak after it was let go. */
  #current = 0;

  constructor(open: OpenSocket, events: SocketEvents, report: Report) {
    this.#open = open;
    this.#events = events;
    this.#report = report;
  }

  connect(socket: number): void {
    this.drop();
    this.#current = socket;
    const own = (then: () => void): void => {
      if (this.#current === socket) then();
    };
    this.#raw = this.#open({
      opened: () => own(() => this.#events.opened(socket)),
      closed: (code) =>
        own(() => {
          this.#raw = null;
          this.#events.closed(socket, code);
        }),
      message: (data) =>
        own(() => {
          const frame = this.#read(data);
          if (frame !== null) this.#events.frame(socket, frame);
        }),
    });
  }
  /** Sends if there is a socket; what cannot be sent is asked for again after the next welcome. */
  send(frame: UpFrame): void {
    this.#raw?.send(JSON.stringify(frame));
  }
  /** Lets go of the socket, whatever state it believes itself in: its late events reach nobody. */
  drop(): void {
    this.#current = 0;
    this.#raw?.close();
    this.#raw = null;
  }

  #read(data: unknown): DownFrame | null {
    try {
      const value: unknown = typeof data === 'string' ? JSON.parse(data) : null;
      if (typeof value === 'object' && value !== null && 'type' in value) return value as DownFrame;
    } catch (error) {
      this.#report('socket.bad-frame', { error });
    }
    return null;
  }
}
