/** The demo model's words: what it found, did, and is. Pure; a summary is made of what the tools really answered. */
import { oneLine } from '#shared/text.ts';
import type { DoneCall } from './history.ts';
import { wasDenied, type Outcome } from './steps.ts';

export const INTRODUCTION =
  "I am Cairn's built-in **demo model**: a small program, not an AI. I use the real tools on your real files. To connect a real model, " +
  'start Cairn with `ANTHROPIC_API_KEY` set, or with `ANTHROPIC_BASE_URL` pointing to a server that speaks the same API (Ollama, ' +
  'llama.cpp, LM Studio, vLLM, LiteLLM).';

export const ABILITIES = `I understand plain requests about this folder, one or several in a row:

- "list the files here"
- "read README.md"
- "search for console.log in src"
- "write notes.md with a short summary", or with any "text in quotes"
- "replace \`old\` with \`new\` in notes.md"
- "run \`ls -la\`"
- "plan the clean-up", "think about the structure"
- "count to 500" or "write a story of 400 words", to try Stop`;

/** The note under the output of a command that ended as it should. */
const ENDED_WELL = '[exit code 0]';

interface Listing {
  folders: string[];
  files: string[];
}

/** Entries of a list result: a name a line, folders with a slash; notes in brackets are none. */
function listing(text: string): Listing {
  const names = text.split('\n').filter((line) => line.trim() !== '' && !/^[[(].*[\])]$/.test(line.trim()));
  return {
    folders: names.filter((name) => name.endsWith('/')),
    files: names.filter((name) => !name.endsWith('/')),
  };
}

const many = (n: number, one: string): string => `${n} ${one}${n === 1 ? '' : 's'}`;
const lines = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '');
const code = (text: string): string => `\`${text.replaceAll('`', "'")}\``;

function named(names: readonly string[]): string {
  const shown = names.slice(0, 12).map(code).join(', ');
  return names.length > 12 ? `${shown} and ${names.length - 12} more` : shown;
}

function countsOf({ folders, files }: Listing): string {
  if (folders.length + files.length === 0) return 'nothing yet';
  return [files.length > 0 ? many(files.length, 'file') : '', folders.length > 0 ? many(folders.length, 'folder') : '']
    .filter((part) => part !== '')
    .join(' and ');
}

const placeOf = (path: string | null): string => (path === null || path === '.' ? 'This folder' : code(path));

/** One sentence or two about what came of an intent. */
export function report({ intent, calls }: Outcome): string {
  const last = calls.at(-1);
  if (last === undefined) return '';
  if (last.isError) return failure(last);
  switch (intent.kind) {
    case 'list': {
      const found = listing(last.text);
      const names = [...found.folders, ...found.files];
      return `${placeOf(intent.path)} holds ${countsOf(found)}${names.length === 0 ? '.' : `: ${named(names)}.`}`;
    }
    case 'read': {
      const found = lines(last.text);
      return `${code(intent.path)} has ${many(found.length, 'line')} with text. It begins:\n\n${quote(found.slice(0, 6))}`;
    }
    case 'search': {
      const found = lines(last.text).filter((line) => !/^[[(].*[\])]$/.test(line));
      if (found.length === 0) return `I found no ${code(intent.pattern)}.`;
      return `${code(intent.pattern)} turns up in ${many(found.length, 'line')}:\n\n${quote(found.slice(0, 8))}`;
    }
    case 'write':
      return `I wrote ${code(intent.path)}${intent.content === null ? ' with a summary of what I saw' : ''}.`;
    case 'edit':
      return `In ${code(intent.path)} I replaced ${code(oneLine(intent.old, 60))} with ${code(oneLine(intent.new, 60))}.`;
    case 'run': {
      const found = lines(last.text).filter((line) => line !== ENDED_WELL);
      if (found.length === 0) return `${code(intent.command)} ran and printed nothing.`;
      return `${code(intent.command)} ran and printed ${many(found.length, 'line')}:\n\n${quote(found.slice(-8))}`;
    }
    default:
      return '';
  }
}

function failure(call: DoneCall): string {
  const what = code(oneLine(String(call.input['command'] ?? call.input['path'] ?? call.input['pattern'] ?? call.name), 80));
  const reason = oneLine(call.text, 300);
  if (wasDenied(call)) return `You did not allow ${code(call.name)} of ${what}, so I left it alone, and what was to follow it.`;
  return `${code(call.name)} of ${what} did not work: ${reason === '' ? 'it gave no reason' : reason}`;
}

function quote(shown: readonly string[]): string {
  return `\`\`\`text\n${shown.map((line) => oneLine(line, 160).replaceAll('```', "'''")).join('\n')}\n\`\`\``;
}

/** A Markdown file that sums up what was really seen. */
export function summaryFile(outcomes: readonly Outcome[]): string {
  const parts = outcomes.flatMap(({ intent, calls }) => {
    const last = calls.at(-1);
    if (last === undefined || last.isError) return [];
    switch (intent.kind) {
      case 'list': {
        const found = listing(last.text);
        const names = [...found.folders, ...found.files];
        return [`${placeOf(intent.path)} holds ${countsOf(found)}.`, names.map((name) => `- ${code(name)}`).join('\n')];
      }
      case 'read':
        return [
          `## ${intent.path}`,
          `${many(lines(last.text).length, 'line')} with text; it begins:`,
          quote(lines(last.text).slice(0, 10)),
        ];
      case 'search':
        return [`## Search for ${code(intent.pattern)}`, quote(lines(last.text).slice(0, 20))];
      case 'run':
        return [
          `## ${code(intent.command)}`,
          quote(
            lines(last.text)
              .filter((line) => line !== ENDED_WELL)
              .slice(0, 20),
          ),
        ];
      default:
        return [];
    }
  });
  return `# Notes\n\n${parts.filter((part) => part !== '').join('\n\n') || 'There was nothing to sum up.'}\n`;
}

const STORY = [
  'A walker went up into the hills before the mist had lifted.',
  'At every turn of the trail stood a small pile of stones.',
  'Nobody knew who had set the first one, and nobody moved it.',
  'Each traveller laid one stone on top and went on.',
  'When the snow came, the path was gone, but the stones were not.',
  'There was no signal up there, and none was needed.',
  'The next pile was always just in sight of the last.',
  'Some days the wind took a hat, a map, a good idea.',
  'It never took a stone.',
  'In the evening the walker looked back and could read the whole way.',
];

/** Exactly `words` words, the same each time. */
export function story(words: number): string {
  const all: string[] = [];
  for (let at = 0; all.length < words; at++) {
    all.push(...STORY[at % STORY.length]!.split(' '));
    if (at % 4 === 3 && all.length < words) all[all.length - 1] += '\n\n';
  }
  return all
    .slice(0, words)
    .map((word) => (word.endsWith('\n\n') ? word : `${word} `))
    .join('')
    .trimEnd();
}

export function counting(to: number): string {
  const rows: string[] = [];
  for (let from = 1; from <= to; from += 10) {
    rows.push(Array.from({ length: Math.min(10, to - from + 1) }, (_, at) => String(from + at)).join(' '));
  }
  return rows.join('\n\n');
}

export function planText(about: string): string {
  return `A plan for ${about}:

1. Look at what is there: list the folder and read the files that matter.
2. Say in one sentence what should be different afterwards.
3. Make the smallest change that gets there.
4. Check it, and write down what was done.

As the demo model I cannot judge which change is right. Tell me the steps one by one and I carry them out.`;
}
