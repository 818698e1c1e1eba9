/** A client of the WebSocket that keeps every frame in the order it came. */
import { WebSocket } from 'ws';
import type { DownFrame, UpFrame } from '#shared/protocol/frames.ts';

export class LiveClient {
  readonly frames: DownFrame[] = [];
  readonly ws: WebSocket;
  /** Close code, once closed. */
  closed: number | null = null;
  /** Told of each frame as it comes. */
  onframe: (frame: DownFrame) => void = () => {};
  constructor(url: string, headers: Record<string, string>) {
    this.ws = new WebSocket(url, { headers, perMessageDeflate: false });
    this.ws.on('message', (data) => {
      const frame = JSON.parse(String(data)) as DownFrame;
      this.frames.push(frame);
      this.onframe(frame);
    });
    this.ws.on('close', (code) => (this.closed = code));
    // A cut link is what many tests are about: `close` tells of it.
    this.ws.on('error', () => (this.closed ??= 0));
  }
  /** Open and greeted. */
  async greet(protocol = 1): Promise<this> {
    await new Promise<void>((resolve, reject) => {
      this.ws.once('open', () => resolve());
      this.ws.once('error', reject);
    });
    this.say({ type: 'hello', protocol, device: null });
    await this.until(() => this.closed !== null || this.frames.some((frame) => frame.type === 'welcome'));
    return this;
  }
  say(frame: UpFrame): void {
    this.ws.send(JSON.stringify(frame));
  }
  subscribe(sessionId: string, cursor: { after: number; lastId: string | null; epoch?: string | null } = { after: 0, lastId: null }): void {
    this.say({ type: 'subscribe', sessionId, epoch: cursor.epoch ?? null, after: cursor.after, lastId: cursor.lastId });
  }
  of<T extends DownFrame['type']>(type: T): Extract<DownFrame, { type: T }>[] {
    return this.frames.filter((frame): frame is Extract<DownFrame, { type: T }> => frame.type === type);
  }
  /** Frame types in order, for reading at a glance. */
  get trail(): string[] {
    return this.frames.map((frame) => frame.type);
  }
  async until(what: () => boolean, ms = 10_000): Promise<void> {
    for (const end = Date.now() + ms; !what();) {
      if (Date.now() > end) throw new Error(`waited ${ms} ms in vain; frames: ${this.trail.slice(-20).join(', ')}; closed: ${this.closed}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
  close(): void {
    this.ws.terminate();
  }
}
