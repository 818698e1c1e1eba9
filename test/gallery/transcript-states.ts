/** Every state of the transcript that is worth a look, by name. */
import { useLinkStore } from '../../app/stores/link.ts';
import { useSessionsStore } from '../../app/stores/sessions.ts';
import { useTranscriptStore } from '../../app/stores/transcript.ts';
import { FIRST_VIEW } from '../../app/sync/link-view.ts';
import type { LinkView } from '../../app/sync/views.ts';
import { NOW, sampleRows } from './sessions.ts';
import type { GalleryState } from './states.ts';
import { approvalOf, Log, receiptOf, SESSION, show, streaming } from './transcript.ts';

export const path = `/s/${SESSION}`;
export function fill(kind: LinkView['kind'] = 'live', held = 0): () => void {
  return () => {
    const sessions = useSessionsStore();
    sessions.put(kind === 'live' ? sampleRows() : sampleRows().map((row) => ({ ...row, fresh: false })));
    sessions.loaded = true;
    const link = useLinkStore();
    link.model = { label: 'Anthropic', demo: false, name: 'claude-sonnet' };
    link.setLink({ ...FIRST_VIEW, kind, since: NOW - 38 * 60_000, held, prompts: held, skew: 0 });
  };
}

const HITS =
  "src/import/csv.ts:41:  const rows = splitRows(text)\nsrc/import/csv.ts:58:export function splitRows(text: string) {\ntest/import/csv.test.ts:112:  expect(splitRows('a\\nb')).toHaveLength(2)\n";
const DIFF =
  "--- a/src/import/csv.ts\n+++ b/src/import/csv.ts\n@@ -58,5 +58,5 @@\n export function splitRows(text: string) {\n-  const rows = text.split('\\n')\n-  rows.pop()\n+  const rows = text.split(/\\r?\\n/)\n+  if (rows.at(-1) === '') rows.pop()\n   return rows\n }\n";
const EDIT = {
  path: 'src/import/csv.ts',
  old: "  const rows = text.split('\\n')\n  rows.pop()",
  new: "  const rows = text.split(/\\r?\\n/)\n  if (rows.at(-1) === '') rows.pop()",
};
export const MARKDOWN = `## What was wrong

The importer calls \`splitRows\`, which **always** drops the last element. That is right for a file that ends in a newline and wrong for any other.

1. Read the file with its byte order mark
2. Split at \`/\\r?\\n/\`
   - keeps a last row with text
   - drops an empty one
3. Hand each row to \`parseRow\`

> A text file's last line may have no newline. RFC 4180 says so in section 2.

\`\`\`ts
export function splitRows(text: string): string[] {
  const rows = text.split(/\\r?\\n/); // one entry a row
  if (rows.at(-1) === '') rows.pop();
  return rows;
}
\`\`\`

| file | rows | before | after | note |
|---|--:|--:|--:|---|
| march.csv | 1,204 | 1,203 | 1,204 | ends without a newline |
| april.csv | 998 | 998 | 998 | CRLF from the harbour office |

- [x] fix the split
- [ ] write a test

See [RFC 4180](https://www.rfc-editor.org/rfc/rfc4180) or ![the berth map](https://example.test/map.png). Raw <b>HTML</b> stays words.
`;
function first(log = new Log()): Log {
  return log
    .prompt('When a file has no newline at the end, the importer loses its last row. Find out why and fix it.')
    .thinking('The split keeps an empty last element when the text ends in a newline. Popping it always is the fault.')
    .call('list', { path: 'src' }, 'import/\nindex.ts\nserver.ts\n')
    .call(
      'read',
      { path: 'src/import/csv.ts', from: 30, lines: 67 },
      `${"import { readFile } from 'node:fs'\n\n// One entry per row of the file.\n".repeat(6)}[lines 30-47 of 140; go on with from: 48]`,
    )
    .nextStep()
    .text(
      '`splitRows` drops the last element whether or not it is empty. That is right for a file that ends in a newline and wrong for any other. I will keep the element when it has text.',
    )
    .call('search', { pattern: 'splitRows' }, HITS)
    .call('edit', EDIT, DIFF)
    .nextStep();
}
const shellTail = (chunks: number, log: Log) =>
  streaming(log, log.step, 'tools', [
    {
      type: 'tool-output',
      i: 0,
      callId: `call-${chunks}`,
      stream: 'stdout',
      text: ' RUN  v3.2 ~/code/harbour\n \u001b[32m✓\u001b[0m keeps a row with no newline 3 ms\n',
    },
    {
      type: 'tool-output',
      i: 0,
      callId: `call-${chunks}`,
      stream: 'stdout',
      text: ' ✓ drops a trailing empty line 1 ms\n … accepts the March export\n',
    },
  ]);
export const longOutput = (lines: number): string =>
  Array.from({ length: lines }, (_, at) => `line ${at + 1} of the build says something of use\n`).join('');

function askEdit(): void {
  const log = new Log().prompt('Fix it.').text('I change the split.').call('edit', EDIT, null);
  show({ log, running: true, approvals: [approvalOf(log, `call-${log.chunks.length}`, 'edit', 'src/import/csv.ts')] });
}

export const TRANSCRIPT_STATES: Record<string, GalleryState> = {
  't-live': {
    path,
    fill: fill(),
    open: () => {
      const log = first();
      log.call('run', { command: 'npm test -- csv' }, null);
      show({
        log,
        live: shellTail(log.chunks.length, log),
        receipts: [
          receiptOf('steer', 'Handle CRLF too. The harbour office exports from Windows.'),
          receiptOf('queued', 'Then add a test with the March export', { place: 1, of: 2, delivery: 'queue' }),
          receiptOf('queued', 'Write a line in CHANGELOG.md', { place: 2, of: 2, delivery: 'queue' }),
        ],
      });
    },
  },
  't-words': { path, fill: fill(), open: () => show({ log: new Log().prompt('Explain what was wrong.').text(MARKDOWN) }) },
  't-streaming': {
    path,
    fill: fill(),
    open: () => {
      const log = new Log().prompt('Explain what was wrong.');
      show({
        log,
        live: streaming(log, 0, 'message', [
          { type: 'thinking-delta', i: 0, text: 'Let me think.' },
          { type: 'thinking-end', i: 0 },
          { type: 'text-delta', i: 1, text: MARKDOWN.slice(0, 560) },
        ]),
      });
    },
  },
  't-streaming-words': {
    path,
    fill: fill(),
    open: () => {
      const log = new Log().prompt('Explain what was wrong.');
      show({
        log,
        live: streaming(log, 0, 'message', [
          { type: 'thinking-delta', i: 0, text: 'Let me think.' },
          { type: 'thinking-end', i: 0 },
          { type: 'text-delta', i: 1, text: MARKDOWN.slice(0, 150) },
        ]),
      });
    },
  },
  't-waiting': {
    path,
    fill: fill(),
    open: () => show({ log: first(), running: true }),
  },
  't-retry': {
    path,
    fill: fill(),
    open: () => {
      const log = first();
      show({
        log,
        live: streaming(log, log.step, 'message', [
          { type: 'step-start', attempt: 0, source: 'x' },
          { type: 'retry', at: NOW + 12_000, reason: 'The provider is overloaded.' },
        ]),
      });
    },
  },
  't-cards': {
    path,
    fill: fill(),
    open: () => {
      const log = new Log()
        .prompt('Show every card.')
        .thinking('')
        .raw({ type: 'redacted_thinking', data: 'x' })
        .call('write', { path: 'notes.md', content: '# Notes\n\nThe importer.\n' }, 'Created notes.md (3 lines, 24 bytes).')
        .call('run', { command: 'npm test -- csv' }, { shell: { stdout: ' ✓ 14 tests in 3 files 1.8 s\n', stderr: '', exitCode: 0 } })
        .nextStep()
        .call(
          'run',
          { command: 'npm run build' },
          { isError: true, shell: { stdout: longOutput(63), stderr: 'src/csv.ts(61,3): error TS2322\n', exitCode: 2 } },
        )
        .call(
          'edit',
          { path: 'src/a.ts', old: 'x', new: 'y' },
          {
            isError: true,
            content: [
              { type: 'text', text: '`old` occurs 3 times in src/a.ts. Add lines around it until it occurs once; nothing was changed.' },
            ],
          },
        )
        .nextStep()
        .call(
          'run',
          { command: 'rm -rf dist' },
          { isError: true, outcome: 'denied', content: [{ type: 'text', text: 'The user said no.' }] },
        )
        .call(
          'run',
          { command: 'npm run migrate' },
          {
            isError: true,
            outcome: 'interrupted',
            content: [{ type: 'text', text: 'Interrupted: the server stopped while this ran; it may have run.' }],
          },
        )
        .call('run', { command: 'npm run deploy' }, { isError: true, outcome: 'not-run', content: [{ type: 'text', text: 'Not run.' }] })
        .call(
          'run',
          { command: 'sleep 100' },
          { isError: true, shell: { stdout: '', stderr: '', exitCode: null }, content: [{ type: 'text', text: '[not done after 60 s]' }] },
        )
        .call('search', { pattern: 'nothing of the kind', path: 'src' }, 'No matches.')
        .call('fetch_url', { url: 'https://www.rfc-editor.org/rfc/rfc4180', mode: 'text' }, 'Common Format for CSV Files')
        .nextStep()
        .system('interrupted', 'Interrupted: the server stopped in the middle of this turn. It goes on below.')
        .system('model-changed', 'Model: large to small.')
        .system('mode-changed', 'Mode: ask first to accept edits.')
        .system('cut-off', 'The answer reached its length limit. It goes on below.')
        .system('context', 'hidden')
        .raw({ type: 'server_tool_use', id: 'x', name: 'web_search', input: { query: 'csv' } })
        .other('server_tool_use_v3', 'assistant', { anything: [1, 2, 3] })
        .other('compaction', 'system', { block: {} });
      show({ log });
    },
  },
  't-failed': {
    path,
    fill: fill(),
    open: () => {
      const log = first().error('overloaded_error', 'The provider is overloaded.', 529);
      show({
        log,
        receipts: [
          receiptOf('queued', 'Then add a test', { place: 1, of: 2 }),
          receiptOf('queued', 'And a line in the log', { place: 2, of: 2 }),
        ],
      });
      const sessions = useSessionsStore();
      const row = sessions.byId(SESSION)!;
      sessions.put([{ ...row, summary: { ...row.summary, status: 'paused', paused: { seq: 9, reason: 'failed' } } }]);
    },
  },
  't-approval-run': {
    path,
    fill: fill(),
    open: () => {
      const log = first().text(
        'The March export is in Windows-1252, so the fixture needs a decoder. I would like to add one as a development dependency.',
      );
      log.call('run', { command: 'npm install --save-dev iconv-lite@0.7' }, null);
      show({
        log,
        running: true,
        approvals: [approvalOf(log, `call-${log.chunks.length}`, 'run', 'npm install --save-dev iconv-lite@0.7')],
      });
    },
  },
  't-approval-edit': { path, fill: fill(), open: askEdit },
  't-approval-remembered': { path, fill: fill('offline'), open: askEdit },
  't-approval-aside': {
    path,
    fill: fill(),
    open: () => {
      const log = new Log().prompt('Fix it.').text('I change the split.').call('edit', EDIT, null);
      show({
        log,
        running: true,
        approvals: [
          { ...approvalOf(log, 'elsewhere', 'run', 'npm ci'), id: 'a2', callId: 'gone' },
          approvalOf(log, `call-${log.chunks.length}`, 'edit', 'src/import/csv.ts'),
        ],
      });
    },
  },
  't-receipts': {
    path,
    fill: fill(),
    open: () =>
      show({
        log: new Log().prompt('The first one is sealed.').text('Done.'),
        receipts: [
          receiptOf('sending', 'Handle CRLF too. The harbour office exports from Windows.', { tries: 3 }),
          receiptOf('held', 'Post the differences in the harbour channel.', { place: 1, of: 1 }),
          receiptOf('steer', 'And tell me when it is done.'),
          receiptOf('steer', 'Change “March” to “April” in the queued prompt.', { changeHeld: true, heldContent: [] }),
          receiptOf('steer', 'Leave the fixtures alone.', { changeHeld: true, undoable: true }),
          receiptOf('steer', 'Name the berths by number.', {
            conflict: [{ type: 'text', text: 'Name the berths by their old names, and say so in the head of the file.' }],
          }),
          receiptOf('refused', 'Here is the whole ledger as one file.', { reason: 'the file is 41 MB, the limit is 32 MB' }),
          receiptOf('refused', 'One more thing.', { code: 'too-many-pending', reason: '' }),
          receiptOf('refused', 'Say “April” everywhere.', { code: 'already-promoted', reason: '' }),
          receiptOf('expired', 'Run the import for tomorrow, 28 November.', { composedAt: NOW - 3 * 86_400_000 }),
          receiptOf('unknown', 'Was this one accepted?'),
          receiptOf('orphaned', 'Words for a session that is gone.'),
          receiptOf('cancelled', 'Never mind that.', { undoable: true }),
          receiptOf('cancelled', 'Never mind this.'),
        ],
      }),
  },
  't-offline': {
    path,
    fill: fill('offline', 2),
    open: () => {
      const log = new Log().prompt('Find out why the last row is lost, and fix it.').call('edit', EDIT, DIFF);
      show({
        log,
        running: true,
        atStart: false,
        hole: { from: 1, to: 312 },
        receipts: [
          receiptOf('held', 'Handle CRLF too. The harbour office exports from Windows.', { place: 1, of: 2 }),
          receiptOf('held', 'Then add a test with the March export.', { place: 2, of: 2 }),
        ],
      });
    },
  },
  't-holes': {
    path,
    fill: fill('offline'),
    open: () => {
      const log = new Log().prompt('Find out why the last row is lost.').text('It is dropped with the newline.');
      show({ log, atStart: false, hole: { from: 1, to: 1312 }, holeBelow: { from: 1316, to: 1940 } });
    },
  },
  't-target': {
    path,
    fill: fill(),
    open: () => {
      const log = first().prompt('And the March export?').text('It is read whole now.').call('edit', EDIT, DIFF).text(MARKDOWN);
      show({ log });
      const { id, seq } = log.chunks[4]!;
      useTranscriptStore().target = { chunkId: id, seq, nonce: 1 };
    },
  },
  't-wide': {
    path,
    fill: fill(),
    open: () =>
      show({
        log: new Log()
          .prompt(`A long word: ${'donaudampfschifffahrtsgesellschaft'.repeat(6)}`)
          .text(
            `Words: ${'unbreakable'.repeat(20)} and \`${'code'.repeat(40)}\`.\n\n| ${Array.from({ length: 12 }, (_, at) => `column ${at}`).join(' | ')} |\n|${'---|'.repeat(12)}\n| ${Array.from({ length: 12 }, () => 'some value in it').join(' | ')} |\n\n\`\`\`ts\nconst long = '${'x'.repeat(300)}';\n\`\`\`\n`,
          )
          .call(
            'run',
            { command: `echo ${'a-very-long-argument '.repeat(12)}` },
            { shell: { stdout: `${'x'.repeat(400)}\n`, stderr: '', exitCode: 0 } },
          )
          .call(
            'edit',
            {
              path: 'src/a/very/deep/folder/structure/that/goes/on/and/on/file.ts',
              old: `a${'b'.repeat(200)}`,
              new: `a${'c'.repeat(200)}`,
            },
            'Edited',
          ),
      }),
  },
  't-output': {
    path,
    fill: fill(),
    open: () => {
      const log = new Log()
        .prompt('Build it.')
        .call('run', { command: 'npm run build' }, { isError: true, shell: { stdout: longOutput(2000), stderr: '', exitCode: 1 } })
        .largeCall('read', { path: 'big.txt' }, { content: [{ type: 'text', text: longOutput(4000) }] });
      show({ log });
    },
    press: ['Show all 2,000 lines, 87 KB'],
  },
  't-empty': { path, fill: fill(), open: () => show({ log: new Log() }) },
  't-loading': { path, fill: fill() },
  't-long': {
    path,
    fill: fill(),
    open: () => {
      const log = new Log(NOW - 3 * 86_400_000);
      for (let turn = 0; turn < 40; turn++) first(log).text(MARKDOWN).wait(90);
      show({ log });
      useTranscriptStore().total = 12_000;
    },
  },
};
