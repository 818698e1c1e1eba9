/** Transcripts with very large things in them, by name: what they look like, and that they can be looked at. */
import type { GalleryState } from './states.ts';
import { fill, longOutput, MARKDOWN, path } from './transcript-states.ts';
import { Log, show } from './transcript.ts';

export const LARGE_STATES: Record<string, GalleryState> = {
  't-output-huge': {
    path,
    fill: fill(),
    open: () => {
      const log = new Log()
        .prompt('Build everything.')
        .call('run', { command: 'make -j8 world' }, { isError: true, shell: { stdout: longOutput(120_000), stderr: '', exitCode: 2 } })
        .call('run', { command: 'cat bundle.min.js' }, { shell: { stdout: 'var a=1;'.repeat(600_000), stderr: '', exitCode: 0 } });
      show({ log });
    },
    press: ['Show all, 5.3 MB'],
  },
  't-file-long': {
    path,
    fill: fill(),
    open: () =>
      show({
        log: new Log()
          .prompt('Read it.')
          .call(
            'edit',
            {
              path: 'src/table.ts',
              old: 'export const row0 = 1;',
              new: Array.from({ length: 900 }, (_, at) => `export const row${at} = ${at};`).join('\n'),
            },
            { isError: true, content: [{ type: 'text', text: 'src/table.ts has changed since it was read.' }] },
          )
          .call(
            'search',
            { pattern: 'row' },
            Array.from({ length: 700 }, (_, at) => `src/table-${Math.floor(at / 40)}.ts:${at}:  const row = table.row(${at});`).join('\n'),
          ),
      }),
    press: ['Show all 901 lines'],
  },
  't-table-long': {
    path,
    fill: fill(),
    open: () =>
      show({
        log: new Log()
          .prompt('List the berths.')
          .text(
            `| berth | length | draught | boat |\n|---|--:|--:|---|\n${Array.from({ length: 120 }, (_, at) => `| B${at} | ${8 + (at % 20)} m | ${1 + (at % 4)} m | *Gull ${at}* |`).join('\n')}\n\nThat is all.`,
          ),
      }),
  },
  't-blocks-many': {
    path,
    fill: fill(),
    open: () => show({ log: new Log().prompt('Explain everything.').text(`${MARKDOWN}\n\n`.repeat(120)) }),
  },
};
