/** `edit`: one exact, unique stretch of a file replaced by another. */
import { path, text } from './args.ts';
import { diffOfEdit } from './diff-text.ts';
import { applyEdit } from './edit-text.ts';
import { ToolFault } from './fault.ts';
import { locate } from './paths.ts';
import { hashOf, readWhole, replaceFile } from './replace-file.ts';
import { summaryOf } from './summary.ts';
import type { ToolBody, ToolParts } from './tool.ts';

const MAX_FILE_BYTES = 16 * 1024 * 1024;

export function editTool(parts: ToolParts): ToolBody {
  return {
    name: 'edit',
    description:
      'Replaces one stretch of a text file. `old` must be exactly as in the file and occur exactly once: add lines around it until it does. ' +
      'Answers the change as a unified diff.',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'File, relative to the workspace.' },
        old: { type: 'string', description: 'The text to replace, exactly, line breaks and indentation included.' },
        new: { type: 'string', description: 'What to put in its place; may be empty.' },
      },
      required: ['path', 'old', 'new'],
      additionalProperties: false,
    },
    effect: 'write',
    summary: (args) => summaryOf(args['path'], '(no path)'),
    async run({ args, ground, context, say }) {
      const old = text(args, 'old');
      const replacement = text(args, 'new');
      if (replacement.includes('\0')) throw new ToolFault('`new` holds a NUL character; nothing was changed.');
      const place = await locate(ground, path(args));
      // Taken before waiting for the file, as in write.
      const seen = parts.known.seen(context.sessionId, place.real);
      await parts.known.alone(place.real, async () => {
        const bytes = await readWhole(place, MAX_FILE_BYTES);
        const hash = hashOf(bytes);
        const changed = `${place.shown} changed since it was read: re-read it, then edit. Nothing was changed.`;
        if (seen !== null && seen !== hash) throw new ToolFault(changed);
        const outcome = applyEdit(decode(bytes, place.shown), old, replacement);
        if (!outcome.ok) throw new ToolFault(refusal(outcome, place.shown));
        const after = Buffer.from(outcome.text);
        const newHash = await replaceFile({ place, bytes: after, expected: hash, changed }, parts.random, context.signal);
        parts.known.saw(context.sessionId, place.real, newHash);
        const diff = diffOfEdit(place.shown, outcome.before, outcome.start, outcome.end, outcome.insert);
        say(diff ?? `Edited ${place.shown}: too much changed to show.`);
      });
      return { isError: false };
    },
  };
}

/** The byte order mark is kept as a character, so that it is written back. */
function decode(bytes: Buffer, shown: string): string {
  if (bytes.includes(0)) throw new ToolFault(`${shown} is a binary file; nothing was changed.`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ToolFault(`${shown} is not valid UTF-8; nothing was changed.`);
  }
}

function refusal(outcome: Exclude<ReturnType<typeof applyEdit>, { ok: true }>, shown: string): string {
  switch (outcome.reason) {
    case 'empty':
      return '`old` is empty. Give the exact text to replace, or use write for a whole file.';
    case 'same':
      return '`old` and `new` are the same; nothing was changed.';
    case 'none':
      return `\`old\` does not occur in ${shown}. Read the file again and copy the text exactly; nothing was changed.`;
    case 'many':
      return `\`old\` occurs ${outcome.count} times in ${shown}. Add lines around it until it occurs once; nothing was changed.`;
  }
}
