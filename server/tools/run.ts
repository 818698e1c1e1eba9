/** `run`: one shell command, in a process group of its own, with nobody at its keyboard. */
import { access } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { Timers } from '#shared/ports.ts';
import { optionalWhole, text } from './args.ts';
import { codeOf, ToolFault } from './fault.ts';
import { Batcher, BoundedOutput } from './output.ts';
import type { ToolContext, ToolEnd } from './port.ts';
import type { LeaderEnd, ProcessGroup } from './process-group.ts';
import { summaryOf } from './summary.ts';
import type { ToolBody, ToolParts } from './tool.ts';

const DEFAULT_SECONDS = 120;
const MAX_SECONDS = 3600;

/**
 * Together within `LIMITS.toolOutputBytes`: stdout and stderr share a head and have a tail each, and the model is shown
 * both as they came, again with head and tail.
 */
const STREAM_HEAD = 14 * 1024;
const STREAM_TAIL = 4 * 1024;
const SHOWN_HEAD = 12 * 1024;
const SHOWN_TAIL = 11 * 1024;

const PIECE_MS = 20;
const PIECE_CHARS = 4096;
/**
 * After this much read in one go the pipe rests for a moment, so that a chatty command cannot keep the server to itself. Less
 * of it once nothing more is passed on: what is only counted may take its time, and the command waits meanwhile.
 */
const BURST_BYTES = 1024 * 1024;
const HELD_BURST_BYTES = 256 * 1024;
const REST_MS = 5;
/** Of a piece that will be left out for the most part, only this much is looked at: more than any tail. */
const LOOK_BYTES = 16 * 1024;
/** How long a pipe may stay silent, and stay open, after everything that could write to it should be gone. */
const QUIET_MS = 200;
const DRAIN_LIMIT_MS = 1000;

export function runTool(parts: ToolParts): ToolBody {
  return {
    name: 'run',
    description:
      'Runs a shell command in the workspace and answers what it printed and its exit code. There is no terminal and no input: give answers on ' +
      'the command line. Everything it started is ended with it, background processes too.',
    inputSchema: {
      type: 'object',
      properties: {
        command: { type: 'string', description: 'The command, as for sh -c.' },
        timeout: { type: 'integer', minimum: 1, description: `Seconds until it is ended (${DEFAULT_SECONDS}; at most ${MAX_SECONDS}).` },
      },
      required: ['command'],
      additionalProperties: false,
    },
    effect: 'run',
    summary: (args) => summaryOf(args['command'], '(no command)'),
    async run({ args, ground, context, say }) {
      const command = text(args, 'command');
      if (command.trim() === '') throw new ToolFault('`command` is empty.');
      if (command.includes('\0')) throw new ToolFault('`command` holds a NUL character.');
      const seconds = Math.min(optionalWhole(args, 'timeout', 1) ?? DEFAULT_SECONDS, MAX_SECONDS);
      const group = parts.start({ file: await shell(), args: ['-c', command], cwd: ground.root, env: parts.env, guarded: true });
      const capture = new Capture(group, context, parts.timers);
      const ended = await outcome(group, seconds * 1000, context.signal, parts.timers);
      await group.end();
      await capture.drained();
      const shown = capture.end();
      say(shown.text);
      if (shown.text !== '' && !shown.text.endsWith('\n')) say('\n');
      const { words, end } = endOf(ended, seconds);
      say(words);
      return shown.truncated ? { ...end, truncated: true } : end;
    },
  };
}

type Outcome = { by: 'itself'; end: LeaderEnd } | { by: 'limit' | 'stop' } | { by: 'fault'; error: unknown };

/** Whichever comes first. Nothing is ended here. */
function outcome(group: ProcessGroup, limitMs: number, signal: AbortSignal, timers: Timers): Promise<Outcome> {
  return new Promise((resolve) => {
    const settle = (result: Outcome): void => {
      cancel();
      signal.removeEventListener('abort', stopped);
      resolve(result);
    };
    const stopped = (): void => settle({ by: 'stop' });
    const cancel = timers.after(limitMs, () => settle({ by: 'limit' }));
    signal.addEventListener('abort', stopped, { once: true });
    if (signal.aborted) stopped();
    group.ended.then(
      (end) => settle({ by: 'itself', end }),
      (error: unknown) => settle({ by: 'fault', error }),
    );
  });
}

function endOf(result: Outcome, seconds: number): { words: string; end: ToolEnd } {
  switch (result.by) {
    case 'itself': {
      const { code, signal } = result.end;
      return {
        words: code === null ? `[ended by ${signal ?? 'a signal'}]` : `[exit code ${code}]`,
        end: { isError: code !== 0, exitCode: code },
      };
    }
    case 'limit':
      return {
        words: `[not done after ${seconds} s: it and everything it started was ended. It may have waited for input, which there is none of; a longer \`timeout\` helps if it was only slow.]`,
        end: { isError: true, exitCode: null },
      };
    case 'stop':
      return {
        words: '[stopped before it was done: it and everything it started was ended]',
        end: { isError: true, exitCode: null, outcome: 'interrupted' },
      };
    case 'fault':
      return { words: `[could not be started: ${codeOf(result.error) ?? 'unknown reason'}]`, end: { isError: true, exitCode: null } };
  }
}

/** Reads both pipes without ever holding more than the bounds, passes the streams on live, and keeps what the model is shown. */
class Capture {
  readonly #streams: readonly Readable[];
  readonly #timers: Timers;
  readonly #shown: string[] = [];
  readonly #combined = new BoundedOutput({ left: SHOWN_HEAD }, SHOWN_TAIL, (text) => this.#shown.push(text));
  readonly #finish: (() => boolean)[] = [];
  readonly #head = { left: STREAM_HEAD };
  #heard = (): void => {};
  #open = 2;

  constructor(group: ProcessGroup, context: ToolContext, timers: Timers) {
    this.#timers = timers;
    this.#streams = [group.stdout, group.stderr];
    this.#read(group.stdout, (text) => context.output('stdout', text));
    this.#read(group.stderr, (text) => context.output('stderr', text));
  }

  #read(stream: Readable, emit: (text: string) => void): void {
    const decoder = new StringDecoder('utf8');
    const batcher = new Batcher(this.#timers, PIECE_MS, PIECE_CHARS, emit);
    const bounded = new BoundedOutput(this.#head, STREAM_TAIL, (text) => batcher.write(text));
    const take = (text: string): void => {
      if (text === '') return;
      bounded.write(text);
      this.#combined.write(text);
    };
    let burst = 0;
    stream.on('data', (bytes: Buffer) => {
      const held = bounded.holding && this.#combined.holding;
      const from = held ? lastCharacters(bytes, LOOK_BYTES) : 0;
      if (from > 0) {
        decoder.end();
        bounded.skip(from);
        this.#combined.skip(from);
      }
      take(decoder.write(from > 0 ? bytes.subarray(from) : bytes));
      this.#heard();
      burst += bytes.length;
      if (burst < (held ? HELD_BURST_BYTES : BURST_BYTES)) return;
      burst = 0;
      stream.pause();
      this.#timers.after(REST_MS, () => stream.resume());
    });
    stream.once('close', () => {
      this.#open--;
      this.#heard();
    });
    // A pipe that breaks says no more than that it ended.
    stream.on('error', () => stream.destroy());
    this.#finish.push(() => {
      take(decoder.end());
      const truncated = bounded.end();
      batcher.flush();
      return truncated;
    });
  }

  /** Resolves when both pipes are closed, or when one that a detached child still holds has been silent for a while. */
  drained(): Promise<void> {
    return new Promise((resolve) => {
      let cancelQuiet: (() => void) | null = null;
      const done = (): void => {
        cancelQuiet?.();
        cancelLimit();
        this.#heard = () => {};
        for (const stream of this.#streams) stream.destroy();
        resolve();
      };
      const cancelLimit = this.#timers.after(DRAIN_LIMIT_MS, done);
      this.#heard = () => {
        cancelQuiet?.();
        if (this.#open === 0) done();
        else cancelQuiet = this.#timers.after(QUIET_MS, done);
      };
      this.#heard();
    });
  }

  /** What the model is shown. Nothing is passed on after this. */
  end(): { text: string; truncated: boolean } {
    const streams = this.#finish.map((finish) => finish());
    const combined = this.#combined.end();
    return { text: this.#shown.join(''), truncated: combined || streams.some(Boolean) };
  }
}

/** Where the last `count` bytes or so begin, not within a character. 0: there are no more than that. */
function lastCharacters(bytes: Buffer, count: number): number {
  if (bytes.length <= count) return 0;
  let from = bytes.length - count;
  // Bytes that continue a character look like 10xxxxxx, and there are at most three.
  for (let steps = 0; steps < 3 && (bytes[from]! & 0xc0) === 0x80; steps++) from++;
  return from;
}

/** bash where there is one, since that is what models write for. */
async function shell(): Promise<string> {
  try {
    await access('/bin/bash');
    return '/bin/bash';
  } catch (error) {
    if (codeOf(error) === null) throw error;
    return '/bin/sh';
  }
}
