/** `write`: a whole file, made or replaced. */
import { optionalText, path, text } from './args.ts';
import { ToolFault } from './fault.ts';
import { locate } from './paths.ts';
import { hashOf, hashOfFile, replaceFile } from './replace-file.ts';
import { summaryOf } from './summary.ts';
import type { ToolBody, ToolParts } from './tool.ts';

export function writeTool(parts: ToolParts): ToolBody {
  return {
    name: 'write',
    description:
      'Writes a whole text file in the workspace, making its folders where needed. An existing file must have been read in this session, ' +
      'and not have changed since; to change part of a file, use edit.',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'File, relative to the workspace.' },
        content: { type: 'string', description: 'The whole new content.' },
      },
      required: ['path', 'content'],
      additionalProperties: false,
    },
    effect: 'write',
    summary: (args) => summaryOf(args['path'], '(no path)'),
    async run({ args, ground, context, say }) {
      const content = text(args, 'content');
      if (content.includes('\0')) throw new ToolFault('`content` holds a NUL character; nothing was written.');
      const place = await locate(ground, path(args));
      if (optionalText(args, 'path')?.endsWith('/')) throw new ToolFault(`${place.shown} is named as a folder; write makes files.`);
      if (place.real === ground.root) throw new ToolFault('The workspace itself is a folder.');
      // Taken before waiting for the file: of two calls that saw the same content, the second must not overwrite the first.
      const seen = parts.known.seen(context.sessionId, place.real);
      const bytes = Buffer.from(content);
      const size = `${countLines(content)} lines, ${bytes.length} bytes`;
      await parts.known.alone(place.real, async () => {
        const current = await hashOfFile(place);
        if (current === hashOf(bytes)) say(`${place.shown} holds exactly this already (${size}).`);
        else {
          if (current !== null && seen === null) {
            throw new ToolFault(`${place.shown} exists and was not read in this session: re-read it, then write. Nothing was written.`);
          }
          const changed = `${place.shown} changed since it was read: re-read it, then write. Nothing was written.`;
          if (current !== null && current !== seen) throw new ToolFault(changed);
          await replaceFile({ place, bytes, expected: current, changed }, parts.random, context.signal);
          say(`${current === null ? 'Created' : 'Replaced'} ${place.shown} (${size}).`);
        }
        parts.known.saw(context.sessionId, place.real, hashOf(bytes));
      });
      return { isError: false };
    },
  };
}

function countLines(content: string): number {
  if (content === '') return 0;
  return content.split('\n').length - (content.endsWith('\n') ? 1 : 0);
}
