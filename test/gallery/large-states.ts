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
    press: ['Show all, 5.6 MB'],
  },
  't-file-long': {
    path,
    fill: fill(),
    open: () =>
      show({
        log: new Log()
          .prompt('Read it.')
          .call(
            'write',
            { path: 'src/table.ts', content: Array.from({ length: 900 }, (_, at) => `export const row${at} = ${at};`).join('\n') },
            'Wrote',
          )
          .call(
            'search',
            { pattern: 'row' },
            Array.from({ length: 700 }, (_, at) => `src/table-${Math.floor(at / 40)}.ts:${at}:  const row = table.row(${at});`).join('\n'),
          ),
      }),
    press: ['Wrote', 'Show all 900 lines'],
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
