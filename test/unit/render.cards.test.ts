// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { nextTick } from 'vue';
import { Log, reference, streaming } from '../gallery/transcript.ts';
import { rowsOnPage, type RowsOnPage } from '../support/rows-on-page.ts';

let page: RowsOnPage;
beforeEach(() => {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe = (): void => undefined;
      disconnect = (): void => undefined;
    },
  );
  page = rowsOnPage();
});
afterEach(() => {
  page.end();
  vi.unstubAllGlobals();
});
const words = (within: ParentNode = page.root): string => (within.textContent ?? '').replace(/\s+/g, ' ').trim();
const card = (verb: string): HTMLElement => {
  const found = [...page.root.querySelectorAll<HTMLElement>('.card')].find((at) => at.querySelector('.card__verb')?.textContent === verb);
  if (found === undefined) throw new Error(`no card that says ${verb}: ${words()}`);
  return found;
};
async function open(verb: string): Promise<HTMLElement> {
  const found = card(verb) as HTMLDetailsElement;
  found.open = true;
  found.dispatchEvent(new Event('toggle'));
  await nextTick();
  return found;
}
async function press(within: ParentNode, name: RegExp): Promise<void> {
  const found = [...within.querySelectorAll('button')].find((button) => name.test(words(button)));
  if (found === undefined) throw new Error(`no button ${String(name)}: ${words(within)}`);
  found.click();
  await nextTick();
  await nextTick();
}
const ran = (stdout: string, command = 'go'): [string, object, object] => [
  'run',
  { command },
  { shell: { stdout, stderr: '', exitCode: 0 } },
];

describe('huge output', () => {
  const big = Array.from({ length: 200_000 }, (_, at) => `line ${at} of the output`).join('\n');
  test('5 MB in 200,000 lines: folded it is its first lines, opened a few rows in a scroller, and copied it is whole', async () => {
    const [name, args, result] = ran(big);
    await page.show({ log: new Log().prompt('Go').call(name, args as never, result) });
    const box = await open('Ran');
    expect(words(box)).toContain('line 11 of the output');
    expect(words(box)).not.toContain('line 12 of the output');
    expect(words(box)).toContain('… more, 4.9 MB in all');
    await press(box, /^Show all, 4.9 MB$/);
    const lines = box.querySelector<HTMLElement>('.lines[tabindex="0"][aria-label="Output"]')!;
    expect(lines.querySelectorAll('.lines__row').length).toBeLessThan(100);
    expect(words(box)).toContain('200,000 lines, 4.9 MB');
    lines.scrollTop = 18 * 150_000;
    lines.dispatchEvent(new Event('scroll'));
    await nextTick();
    expect(words(lines)).toContain('line 150000 of the output');
    expect(words(lines)).not.toContain('line 11 of the output');
    let copied = '';
    vi.stubGlobal('isSecureContext', true);
    vi.stubGlobal('navigator', { clipboard: { writeText: async (text: string) => void (copied = text) } });
    await press(box, /^Copy$/);
    expect(copied).toBe(big);
    await press(box, /Show fewer/);
    expect(box.querySelector('.lines')).toBeNull();
  });
  test('5 MB in one line, in colour: folded it is its beginning, opened its rows', async () => {
    const [name, args, result] = ran(`\u001b[32m${'ab'.repeat(2_500_000)}\u001b[0m`);
    await page.show({ log: new Log().prompt('Go').call(name, args as never, result) });
    const box = await open('Ran');
    expect(box.querySelector('pre')!.textContent).toMatch(/^(?:ab){490,500}a?…$/);
    await press(box, /^Show all, 4.8 MB$/);
    expect(box.querySelector('.lines__row')!.textContent).toMatch(/^(?:ab)+a?$/);
    expect(box.querySelector('.lines__row')!.textContent!.length).toBeLessThanOrEqual(400);
  });
  test('of a large result whose end is not here, the beginning, and no word on how it ended', async () => {
    const log = new Log().prompt('Go').largeCall('run', { command: 'go' }, { shell: { stdout: big, stderr: 'bad', exitCode: 1 } });
    await page.show({ log });
    const box = await open('Ran');
    expect(words(box.querySelector('summary')!)).toBe('Rangolong');
    expect(words(box)).toContain('line 11 of the output');
    expect(words(box)).not.toMatch(/undefined|stderr|exit/);
    expect(words(box)).toContain('Load the whole');
  });
  test('of a command that failed or runs, its last lines', async () => {
    const log = new Log().prompt('Go').call('run', { command: 'go' }, { isError: true, shell: { stdout: big, stderr: '', exitCode: 1 } });
    await page.show({ log });
    expect(words(card('Ran'))).toContain('line 199999 of the output');
    expect(words(card('Ran'))).toContain('more above, 4.9 MB in all');
  });
  test('hits, files and changes of that size are shown as they are, a few lines of them', async () => {
    const hits = Array.from({ length: 40_000 }, (_, at) => `src/file.ts:${at}:a hit`).join('\n');
    const log = new Log()
      .prompt('Go')
      .call('search', { pattern: 'hit' }, hits)
      .call('read', { path: 'big.txt' }, big)
      .call('write', { path: 'new.txt', content: big }, 'Wrote')
      .call('edit', { path: 'old.txt', old: 'x', new: big }, 'Edited');
    await page.show({ log });
    for (const [verb, some] of [
      ['Searched', 'file.ts:11:a hit'],
      ['Read', 'line 11 of'],
      ['Wrote', 'line 11 of'],
      ['Edited', 'line 11 of'],
    ] as const) {
      const box = await open(verb);
      expect(words(box), verb).toContain(some);
      expect(box.querySelectorAll('*').length, verb).toBeLessThan(60);
    }
  });
  test('a long file within that size scrolls in its box, with the lines in view on the page', async () => {
    const log = new Log().prompt('Go').call('read', { path: 'a.txt' }, Array.from({ length: 2000 }, (_, at) => `row ${at}`).join('\n'));
    await page.show({ log });
    const box = await open('Read');
    await press(box, /Show all 2,000 lines/);
    expect(box.querySelectorAll('.c').length).toBeLessThan(100);
    const lines = box.querySelector('.lines')!;
    lines.scrollTop = 18 * 1999;
    lines.dispatchEvent(new Event('scroll'));
    await nextTick();
    expect(words(lines)).toContain('2000row 1999');
  });
});

describe('output while it runs', () => {
  test('parallel tools never mix: each card has the output of its own call', async () => {
    const log = new Log().prompt('Go').call('run', { command: 'one' }, null).call('run', { command: 'two' }, null);
    const callIds = log.chunks.slice(1).map((chunk) => (chunk.data as { callId: string }).callId);
    const say = (at: 0 | 1, stream: 'stdout' | 'stderr', text: string) =>
      ({ type: 'tool-output', i: at, callId: callIds[at]!, stream, text }) as const;
    await page.show({
      log,
      live: streaming(log, log.step, 'tools', [
        say(0, 'stdout', 'first a\n'),
        say(1, 'stdout', 'second a\n'),
        say(1, 'stderr', 'second err\n'),
        say(0, 'stdout', 'first b\n'),
      ]),
    });
    const [one, two] = [...page.root.querySelectorAll('.card')];
    expect([...one!.querySelectorAll('pre')].map((pre) => pre.textContent)).toEqual(['first a\nfirst b']);
    expect([...two!.querySelectorAll('pre')].map((pre) => pre.textContent)).toEqual(['second a', 'second err']);
  });
  test('shows its end as it comes, and a progress line in its last state', async () => {
    const log = new Log().prompt('Go').call('run', { command: 'one' }, null);
    const callId = (log.chunks[1]!.data as { callId: string }).callId;
    const text = Array.from({ length: 100 }, (_, at) => `step ${at}\n`).join('') + '10 %\r20 %\r\u001b[1m30 %\u001b[0m';
    await page.show({ log, live: streaming(log, log.step, 'tools', [{ type: 'tool-output', i: 0, callId, stream: 'stdout', text }]) });
    expect(page.root.querySelector('pre')!.textContent).toBe(`${Array.from({ length: 11 }, (_, at) => `step ${89 + at}\n`).join('')}30 %`);
    expect(words()).toContain('… 89 lines above');
  });
});

describe('what is no text and no tool', () => {
  test('a record that only a newer app knows is an opaque card that can be read', async () => {
    await page.show({ log: new Log().prompt('Go').other('hologram', 'assistant', { beam: [1, 2] }) });
    const box = card('Unknown record');
    expect(words(box)).toContain('hologram');
    expect(words(box)).toContain('This app is older than the record.');
    await press(box, /Show raw/);
    expect(box.querySelector('pre')!.textContent).toBe('{\n  "beam": [\n    1,\n    2\n  ]\n}');
  });
  test('a record that the server can no longer read says so, and what it was', async () => {
    await page.show({ log: new Log().prompt('Go').other('unreadable', 'assistant', { unreadable: true, type: 'text' }) });
    const box = card('Unreadable record');
    expect(words(box)).toContain('text');
    expect(words(box)).toContain('The model is not shown it.');
    expect(words(box)).not.toContain('This app is older');
    expect(box.querySelector('pre')).toBeNull();
  });
  test('a provider’s block that is not modelled says its type and is kept; redacted thinking is thinking whose text is hidden', async () => {
    const log = new Log()
      .prompt('Go')
      .raw({ type: 'server_tool_use', name: 'web' })
      .raw({ type: 'redacted_thinking', data: 'SECRETBYTES' });
    await page.show({ log });
    expect(words(card('Provider block'))).toContain('server_tool_use');
    expect(words(card('Thought'))).toContain('text hidden by the provider');
    expect(words()).not.toContain('SECRETBYTES');
    expect(card('Thought').querySelector('summary')).toBeNull();
  });
  test('thinking is its text letter by letter, and grows', async () => {
    const log = new Log().prompt('Go');
    const text = Array.from({ length: 80 }, (_, at) => `thought **${at}** <b>\n`).join('');
    await page.show({ log, live: streaming(log, 0, 'message', [{ type: 'thinking-delta', i: 0, text }]) });
    const box = await open('Thinking');
    await page.settle();
    const first = box.querySelector('.thought > span');
    await page.show({ log, live: streaming(log, 0, 'message', [{ type: 'thinking-delta', i: 0, text: `${text}and more` }]) });
    expect(box.querySelector('.thought')!.textContent).toBe(`${text}and more`);
    expect(box.querySelector('.thought > span')).toBe(first);
  });
  test('an error says what the provider said, also where that is kept by reference', async () => {
    await page.show({ log: new Log().prompt('Go').error('overloaded', 'Try <b>later</b>.', 529) });
    expect(words(card('Turn failed'))).toBe('Turn failedoverloadedHTTP 529Try <b>later</b>.');
    const log = new Log().prompt('Go');
    log.other('error', 'system', reference({ code: 'api_error', message: `It broke: ${'x'.repeat(9000)}` }));
    await page.show({ log });
    expect(words(card('Turn failed'))).toContain('It broke: xxx');
    expect(words(card('Turn failed'))).toContain('Only the beginning is shown');
  });
  test('a row that Cairn wrote is its sentence, also where that is kept by reference', async () => {
    const log = new Log().prompt('Go').system('interrupted', 'Interrupted: the server stopped.').system('notice', 'A <i>notice</i>.');
    log.other('system', 'system', reference({ kind: 'notice', text: `Long: ${'y'.repeat(9000)}` }));
    await page.show({ log });
    const notes = [...page.root.querySelectorAll('.note')];
    expect(notes.slice(0, 2).map((note) => words(note))).toEqual(['Interrupted: the server stopped.', 'A <i>notice</i>.']);
    expect(notes[0]!.getAttribute('data-tone')).toBe('bad');
    expect(words(notes[2])).toContain('Long: yyy');
  });
});
