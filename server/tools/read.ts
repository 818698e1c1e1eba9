/** `read`: lines of a text file. */
import { createHash } from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';
import { LIMITS } from '#shared/protocol/limits.ts';
import { optionalWhole, path } from './args.ts';
import { ToolFault } from './fault.ts';
import { locate, openFile, type Place } from './paths.ts';
import { summaryOf } from './summary.ts';
import { LinePicker, type PickedLines } from './text-lines.ts';
import type { ToolBody, ToolParts } from './tool.ts';

const DEFAULT_LINES = 2000;
const LINE_CHARS = 4000;
/** Under what a tool passes on at once, so that a long file ends at a line and not in the middle of one. */
const TOTAL_BYTES = Math.floor(LIMITS.toolOutputBytes * 0.65);
/** What a file must look like text in (R14). */
const SNIFF_BYTES = 8 * 1024;
/** A file up to this size is read to its end, for its hash and its number of lines. */
const WHOLE_BYTES = 64 * 1024 * 1024;

export function readTool(parts: ToolParts): ToolBody {
  return {
    name: 'read',
    description:
      `Reads a text file of the workspace: its first ${DEFAULT_LINES} lines, or \`lines\` lines from line \`from\` on. Long output is cut at a ` +
      'line, with a note of where to go on.',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'File, relative to the workspace.' },
        from: { type: 'integer', minimum: 1, description: 'First line, from 1.' },
        lines: { type: 'integer', minimum: 1, description: 'How many lines.' },
      },
      required: ['path'],
      additionalProperties: false,
    },
    effect: 'read',
    summary: (args) => summaryOf(args['path'], '(no path)'),
    async run({ args, ground, context, say }) {
      const from = optionalWhole(args, 'from', 1) ?? 1;
      const lines = optionalWhole(args, 'lines', 1);
      const place = await locate(ground, path(args));
      const picker = new LinePicker({ from, lines: lines ?? DEFAULT_LINES, lineChars: LINE_CHARS, totalBytes: TOTAL_BYTES });
      const hash = await readLines(place, picker, context.signal);
      const picked = picker.end();
      say(picked.text);
      say(noteOn(picked, place, hash !== null));
      if (hash !== null) parts.known.saw(context.sessionId, place.real, hash);
      return picked.bounded ? { isError: false, truncated: true } : { isError: false };
    },
  };
}

/** Feeds the file to the picker. Answers its hash, or null when it is too large to be read to its end. */
async function readLines(place: Place, picker: LinePicker, signal: AbortSignal): Promise<string | null> {
  const handle = await openFile(place);
  try {
    const { size } = await handle.stat();
    const whole = size <= WHOLE_BYTES;
    const hash = createHash('sha256');
    const decoder = new StringDecoder('utf8');
    let first = true;
    for await (const chunk of handle.createReadStream({ autoClose: false })) {
      signal.throwIfAborted();
      const bytes = chunk as Buffer;
      hash.update(bytes);
      const text = decoder.write(first ? sniff(bytes, size, place.shown) : bytes);
      // A byte order mark is no part of the text.
      picker.write(first && text.startsWith('\ufeff') ? text.slice(1) : text);
      first = false;
      if (!whole && picker.done) return null;
    }
    picker.write(decoder.end());
    return hash.digest('hex');
  } finally {
    await handle.close();
  }
}

/** Refuses what is not text, in a few words, before any of it is shown or stored. */
function sniff(bytes: Buffer, size: number, shown: string): Buffer {
  const head = bytes.subarray(0, SNIFF_BYTES);
  if (head.includes(0)) throw new ToolFault(`${shown} is a binary file: it holds NUL bytes.`);
  try {
    // `stream` forgives only a character that the cut has split.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: head.length < size });
  } catch {
    throw new ToolFault(`${shown} is a binary file, or text that is not UTF-8.`);
  }
  return bytes;
}

function noteOn(picked: PickedLines, place: Place, totalKnown: boolean): string {
  const total = totalKnown ? ` of ${picked.total}` : '';
  if (picked.total === 0) return `(${place.shown} is empty)`;
  if (picked.last < picked.first) return `(${place.shown} has only ${picked.total} lines)`;
  if (totalKnown && picked.first === 1 && picked.last === picked.total) return '';
  const more = picked.last < picked.total || !totalKnown ? `; go on with from: ${picked.last + 1}` : '';
  return `${picked.text.endsWith('\n') ? '' : '\n'}[lines ${picked.first}-${picked.last}${total}${more}]`;
}
