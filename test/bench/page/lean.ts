/**
 * The leanest renderer of a streaming answer that is worth comparing with: finished blocks are appended once and never touched
 * again, only the open block is made anew, once a frame, from the same frames of the same kind of socket with the same parser and cleaner.
 */
import DOMPurify from 'dompurify';
import { Lexer, Parser } from 'marked';
import type { DownFrame } from '#shared/protocol/frames.ts';
import { offer } from './offer.ts';

export interface LeanStart {
  sessionId: string;
  epoch: string;
  after: number;
  lastId: string | null;
  protocol: number;
}

const log = document.querySelector<HTMLElement>('.md')!;
const box = document.querySelector<HTMLElement>('[role=region]')!;
const openBlock = document.createElement('div');
openBlock.className = 'md__block';
log.append(openBlock);
let tail = '';
let length = 0;
let planned = false;

function nodesOf(tokens: ReturnType<typeof Lexer.lex> | ReturnType<typeof Lexer.lex>[number][]): DocumentFragment {
  return DOMPurify.sanitize(Parser.parse([...tokens]), { RETURN_DOM_FRAGMENT: true });
}
function draw(): void {
  planned = false;
  const tokens = Lexer.lex(tail);
  let last = tokens.length - 1;
  while (last > 0 && tokens[last]!.type === 'space') last--;
  if (last > 0) {
    const done = document.createElement('div');
    done.className = 'md__block';
    done.append(nodesOf(tokens.slice(0, last)));
    openBlock.before(done);
    tail = tokens
      .slice(last)
      .map((token) => token.raw)
      .join('');
  }
  openBlock.replaceChildren(nodesOf(tokens.slice(Math.max(0, last))));
  box.scrollTop = box.scrollHeight;
}
function take(frame: DownFrame): void {
  if (frame.type !== 'live') return;
  for (const event of frame.events) {
    if (event.type !== 'text-delta') continue;
    tail += event.text;
    length += event.text.length;
  }
  if (planned) return;
  planned = true;
  requestAnimationFrame(draw);
}

const bench = {
  /** Resolves when the subscription is live. */
  start({ sessionId, epoch, after, lastId, protocol }: LeanStart): Promise<void> {
    const socket = new WebSocket(`ws://${location.host}/api/live`);
    socket.addEventListener('open', () => {
      socket.send(JSON.stringify({ type: 'hello', protocol, device: null }));
      socket.send(JSON.stringify({ type: 'subscribe', sessionId, epoch, after, lastId }));
    });
    return new Promise((resolve, reject) => {
      socket.addEventListener('close', ({ code }) => reject(new Error(`the socket was closed with ${code}`)));
      socket.addEventListener('message', ({ data }) => {
        const frame = JSON.parse(String(data)) as DownFrame;
        if (frame.type === 'caught-up') resolve();
        take(frame);
      });
    });
  },
  /** Characters that came. */
  length: () => length,
};
export type BenchLean = typeof bench;
offer({ lean: bench });
