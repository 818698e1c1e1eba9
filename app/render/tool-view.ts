/**
 * A tool call and its result as a reader sees them: verb, target and facts by tool and state. Pure. Nothing here is more than
 * the records say (law 16): a state that is not known is not named.
 */
import { isBlobRef, type ChunkDataByType, type ToolResultData } from '#shared/protocol/records.ts';
import type { ViewChunk } from '#shared/chunks/view.ts';
import { READ_CHARS } from './output.ts';
import { linesOf } from './terminal.ts';
import { readPartialObject } from './partial-json.ts';

/**
 * `asked`: its arguments are still coming · `waiting`: asked for in full, not known to have started · `absent`: its result is not on
 * this page · `partly`: the result is large and only its beginning is here.
 */
export type ToolState =
  'asked' | 'ask' | 'waiting' | 'running' | 'ok' | 'failed' | 'denied' | 'not-run' | 'interrupted' | 'absent' | 'partly';

export type ToolName = 'list' | 'read' | 'write' | 'edit' | 'search' | 'run' | 'other';
export interface ToolCall {
  readonly tool: ToolName;
  /** As the model named it. */
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** The exact argument text, as far as it is here. */
  readonly argText: string;
  /** Some of the arguments are not here: large, kept by reference. */
  readonly cut: boolean;
}

/** Of arguments that are still coming, so much is read. */
const COMING_CHARS = 8 * 1024;
const TOOLS: readonly string[] = ['list', 'read', 'write', 'edit', 'search', 'run'];

/** Call and arguments of a `tool_call` chunk. `whole`: its data, fetched, in place of a reference. */
export function callOf(chunk: ViewChunk, whole: unknown = chunk.data): ToolCall {
  const cut = isBlobRef(whole);
  const data = (cut ? readPartialObject(whole.preview) : whole) as Partial<ChunkDataByType['tool_call']>;
  const name = typeof data.name === 'string' ? data.name : 'tool';
  const argText = typeof data.args === 'string' ? data.args : '';
  // While they stream, a delta is not paid for by all that came before: what it is aimed at stands at the beginning.
  const coming = chunk.open === true && argText.length > COMING_CHARS;
  const args = readPartialObject(coming ? argText.slice(0, COMING_CHARS) : argText);
  return { tool: TOOLS.includes(name) ? (name as ToolName) : 'other', name, args, argText, cut: cut || coming };
}
/** A result's data, or what its preview begins with. */
export function resultOf(whole: unknown): { data: Partial<ToolResultData>; cut: boolean } {
  if (isBlobRef(whole)) return { data: readPartialObject(whole.preview) as Partial<ToolResultData>, cut: true };
  return { data: (typeof whole === 'object' && whole !== null ? whole : {}) as Partial<ToolResultData>, cut: false };
}

/** `inFlight`: the call's turn is running now, by the server's word. `asking`: an open approval is for it. */
export function stateOf(call: ViewChunk, result: ViewChunk | null, whole: unknown, inFlight: boolean, asking: boolean): ToolState {
  if (result === null) {
    if (asking) return 'ask';
    if (call.open === true) return 'asked';
    return inFlight ? 'waiting' : 'absent';
  }
  if (result.open === true) return 'running';
  const { data, cut } = resultOf(whole);
  if (data.outcome === 'denied' || data.outcome === 'not-run' || data.outcome === 'interrupted') return data.outcome;
  if (data.isError === true || failedExit(data)) return 'failed';
  return cut && (data.isError === undefined || (data.shell !== undefined && data.shell.exitCode === undefined)) ? 'partly' : 'ok';
}
/** What a command printed, as far as it is here; null: the result is not of a shell. */
export function printedOf(data: Partial<ToolResultData>): { stdout: string; stderr: string } | null {
  const shell: Partial<NonNullable<ToolResultData['shell']>> | undefined = data.shell;
  return shell === undefined ? null : { stdout: shell.stdout ?? '', stderr: shell.stderr ?? '' };
}
function failedExit(data: Partial<ToolResultData>): boolean {
  return typeof data.shell?.exitCode === 'number' && data.shell.exitCode !== 0;
}

const DOING: Record<ToolName, string> = {
  list: 'Listing',
  read: 'Reading',
  write: 'Writing',
  edit: 'Editing',
  search: 'Searching',
  run: 'Running',
  other: 'Calling',
};
const DONE: Record<ToolName, string> = {
  list: 'Listed',
  read: 'Read',
  write: 'Wrote',
  edit: 'Edited',
  search: 'Searched',
  run: 'Ran',
  other: 'Called',
};
const WANTED: Record<ToolName, string> = {
  list: 'List',
  read: 'Read',
  write: 'Write',
  edit: 'Edit',
  search: 'Search',
  run: 'Run',
  other: 'Call',
};

export function verbOf(tool: ToolName, state: ToolState): string {
  switch (state) {
    case 'running':
      return DOING[tool];
    case 'asked':
    case 'ask':
    case 'waiting':
    case 'absent':
      return WANTED[tool];
    case 'denied':
      return 'Said no';
    case 'not-run':
      return 'Not run';
    case 'interrupted':
      return 'Interrupted';
    case 'failed':
      // A command that failed did run; a file that was refused was not written.
      return tool === 'run' || tool === 'other' ? DONE[tool] : WANTED[tool];
    case 'ok':
    case 'partly':
      return DONE[tool];
  }
}

/** What it was aimed at, on one line: command, path or pattern. `here`: what the workspace itself is called. */
export function targetOf(call: ToolCall, here = '.'): string {
  const text = (key: string): string => (typeof call.args[key] === 'string' ? (call.args[key] as string) : '');
  switch (call.tool) {
    case 'run':
      return text('command');
    case 'search':
      return text('path') === '' ? text('pattern') : `${text('pattern')} in ${text('path')}`;
    case 'list':
      return ['', '.', './'].includes(text('path')) ? here : text('path');
    case 'read':
    case 'write':
    case 'edit':
      return text('path');
    case 'other':
      return call.name;
  }
}

export interface Hit {
  readonly line: number;
  readonly text: string;
}
/** Hits of a search by file, in order; null: the text is not of that shape, or too large to be sorted. */
export function hitsOf(text: string): { file: string; hits: Hit[] }[] | null {
  if (text.length > READ_CHARS) return null;
  const files: { file: string; hits: Hit[] }[] = [];
  for (const line of linesOf(text)) {
    const found = /^(.+?):(\d+):(.*)$/.exec(line);
    if (found === null) {
      if (line.startsWith('[')) continue;
      return null;
    }
    if (files.at(-1)?.file !== found[1]) files.push({ file: found[1]!, hits: [] });
    files.at(-1)!.hits.push({ line: Number(found[2]), text: found[3]! });
  }
  return files.length === 0 ? null : files;
}

/** The note at the end is no longer than this. */
const NOTE_CHARS = 300;
export interface ReadLines {
  readonly first: number;
  readonly lines: readonly string[];
  /** Of the whole file; null: not said. */
  readonly total: number | null;
}
/** What a read answered: its lines, the number of the first and the note at the end, if there is one. Null: too large to be numbered. */
export function readLinesOf(text: string, from: number): ReadLines | null {
  if (text.length > READ_CHARS) return null;
  const near = Math.max(0, text.length - NOTE_CHARS);
  const note = /\n?\[lines (\d+)-\d+(?: of (\d+))?[^\]\n]*\]\s*$/.exec(text.slice(near));
  const at = near + (note?.index ?? 0);
  const body = note === null ? text : text.slice(0, at + (text[at] === '\n' ? 1 : 0));
  return {
    first: note === null ? from : Number(note[1]),
    lines: linesOf(body),
    total: note?.[2] === undefined ? null : Number(note[2]),
  };
}

/** The plain text of a result's content. */
export function wordsOfResult(data: Partial<ToolResultData>): string {
  return Array.isArray(data.content) ? data.content.map((part) => part.text ?? '').join('') : '';
}
