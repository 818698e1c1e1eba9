/** `search`: ripgrep over the workspace. */
import { createInterface } from 'node:readline';
import { relative, sep } from 'node:path';
import { optionalText, path, text } from './args.ts';
import { ToolFault } from './fault.ts';
import { isInside, locate, type Ground } from './paths.ts';
import { summaryOf } from './summary.ts';
import type { ToolBody, ToolParts } from './tool.ts';

const MAX_LINES = 500;
const MAX_BYTES = 30 * 1024;
const TIME_LIMIT_MS = 30_000;
const LINE_BYTES = 400;
const MAX_PROBLEM_CHARS = 2000;

export function searchTool(parts: ToolParts): ToolBody {
  return {
    name: 'search',
    description:
      'Searches file contents by regular expression (ripgrep syntax) and answers path:line:text, a match a line. ' +
      'Leaves out hidden files, binary files and what .gitignore leaves out.',
    inputSchema: {
      type: 'object',
      properties: {
        pattern: { type: 'string', description: 'Regular expression.' },
        path: { type: 'string', description: 'Folder or file to search, relative to the workspace; all of it if left out.' },
        glob: { type: 'string', description: 'Only files like this, such as *.ts or src/**.' },
      },
      required: ['pattern'],
      additionalProperties: false,
    },
    effect: 'read',
    summary: (args) => {
      const where = optionalOr(args['path'], '');
      return summaryOf(args['pattern'], '(no pattern)') + (where === '' ? '' : ` in ${summaryOf(where, '.')}`);
    },
    async run({ args, ground, context, say }) {
      const pattern = text(args, 'pattern');
      if (pattern === '') throw new ToolFault('`pattern` is empty.');
      if (pattern.includes('\0')) throw new ToolFault('`pattern` holds a NUL character.');
      const glob = optionalText(args, 'glob');
      const place = await locate(ground, path(args, '.'));
      if (!place.exists) throw new ToolFault(`There is no file or folder ${place.shown}.`);
      const group = parts.start({
        file: await ripgrep(),
        args: [...FLAGS, ...globs(glob, ground), '--regexp', pattern, '--', `.${sep}${relative(ground.root, place.real)}`],
        cwd: ground.root,
        env: parts.env,
        guarded: false,
      });
      let late = false;
      const cancel = parts.timers.after(TIME_LIMIT_MS, () => {
        late = true;
        void group.end();
      });
      const stop = (): void => void group.end();
      context.signal.addEventListener('abort', stop, { once: true });
      try {
        const problem = problemsOf(group.stderr);
        const found = await matches(group.stdout, say, stop);
        const { code } = await group.ended;
        context.signal.throwIfAborted();
        if (code === 2 && found.lines === 0) throw new ToolFault(`The search failed: ${(await problem) || 'ripgrep gave no reason'}`);
        if (found.more) say(`[more matches were left out after ${found.lines}: search in a folder, or for something narrower]\n`);
        else if (late) say(`[stopped after ${TIME_LIMIT_MS / 1000} s: search in a folder, or with a glob]\n`);
        else if (found.lines === 0) say('No matches.');
        return found.more || late ? { isError: false, truncated: true } : { isError: false };
      } finally {
        cancel();
        context.signal.removeEventListener('abort', stop);
        await group.end();
      }
    },
  };
}

/** No configuration from outside; one thread, so that the order is the same each time. Links are not followed. */
const FLAGS = [
  '--no-config',
  '--no-heading',
  '--with-filename',
  '--line-number',
  '--color=never',
  '--no-require-git',
  '--sort=path',
  `--max-columns=${LINE_BYTES}`,
  '--max-columns-preview',
];

/** The model's glob, and after it, so that it has the last word, one that keeps the data folder out. */
function globs(glob: string | null, ground: Ground): string[] {
  const flags = glob === null ? [] : ['--glob', glob];
  if (isInside(ground.root, ground.dataDir)) {
    const data = relative(ground.root, ground.dataDir).split(sep).join('/');
    flags.push('--glob', `!/${data.replace(/[\\*?[\]{}!]/g, '\\$&')}`);
  }
  return flags;
}

/** Passes on matches until the bound, then stops the search. */
async function matches(
  stdout: NodeJS.ReadableStream,
  say: (text: string) => void,
  stop: () => void,
): Promise<{ lines: number; more: boolean }> {
  const found = { lines: 0, more: false };
  let bytes = 0;
  for await (const raw of createInterface({ input: stdout, crlfDelay: Infinity })) {
    if (found.more) continue;
    const line = `${raw.replace(/^\.[\\/]/, '')}\n`;
    bytes += Buffer.byteLength(line);
    if (found.lines === MAX_LINES || bytes > MAX_BYTES) {
      found.more = true;
      stop();
      continue;
    }
    say(line);
    found.lines++;
  }
  return found;
}

async function problemsOf(stderr: NodeJS.ReadableStream): Promise<string> {
  let said = '';
  for await (const piece of stderr) if (said.length < MAX_PROBLEM_CHARS) said += String(piece);
  return said.slice(0, MAX_PROBLEM_CHARS).trim();
}

/** Found beside its package, only when it is needed: a machine that lacks it loses this tool alone. */
async function ripgrep(): Promise<string> {
  try {
    return (await import('@vscode/ripgrep')).rgPath;
  } catch (error) {
    throw new ToolFault(`Search is not available: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function optionalOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value.trim() : otherwise;
}
