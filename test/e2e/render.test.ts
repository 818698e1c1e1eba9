/** Long words and huge output in a real browser: what a delta touches, and that size is no hindrance. */
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { RecordDraft } from '../../server/store/port.ts';
import { seedSessions } from '../support/seeded.ts';
import { textRow } from '../support/store-harness.ts';
import { useGallery } from './harness/gallery.ts';
import { CairnServer } from './harness/server.ts';
import { useStage } from './harness/stage.ts';

/** 120 KB with ten blocks of code, lists, tables, quotes, and links that are defined at the end. */
function longText(): string {
  const parts = Array.from({ length: 10 }, (_, n) => {
    const words = Array.from(
      { length: 22 },
      (__, at) =>
        `Paragraph ${n}.${at} says that the **tide** is read ${at % 11 === 0 ? '[once][day]' : 'once'} a day, by \`berth\` and by boat.${at % 3 === 0 ? '\nAnd more of it.' : ''}\n\n`,
    );
    const code = Array.from({ length: 90 }, (__, at) => `const berth${at} = await table.read({ day: ${at} }); // ${n}\n`).join('');
    return `## Part ${n}\n\n${words.join('')}- one\n- two\n\n  loose\n  - nested\n\n> A quote[^1]\n\n| a | b |\n|---|--:|\n| ${n} | *x* |\n\n\`\`\`ts\n${code}\`\`\`\n\n`;
  });
  return `${parts.join('')}[day]: https://a.test/day\n\n[^1]: A note.\n`;
}
/** The page's HTML of the newest answer; code without its colours, which come when they come. */
function html(page: Page): Promise<string> {
  return page.evaluate(() => {
    const copy = [...document.querySelectorAll('.md')].at(-1)!.cloneNode(true) as Element;
    for (const code of copy.querySelectorAll('pre code')) code.replaceChildren(code.textContent);
    return copy.innerHTML;
  });
}

describe('B28: a long answer', () => {
  const gallery = useGallery();
  it('streams with as much work in its second half as in its first; finished nodes stay, and the end is as if it had come at once', async () => {
    const text = longText();
    const view = await gallery.open('t-empty');
    const { page } = view;
    const halves = await page.evaluate(async (whole) => {
      window.drive.window(2, 0, 10);
      window.drive.begin();
      window.marked = [];
      const work = [0, 0];
      let half = 0;
      const log = document.querySelector('.log')!;
      const observer = new MutationObserver((changes) => {
        for (const change of changes) {
          const at = change.target instanceof Element ? change.target : change.target.parentElement;
          // Colour comes when the page is idle.
          if (at?.closest('.md') == null || (change.type === 'childList' && at.tagName === 'CODE')) continue;
          work[half]! += 1 + change.addedNodes.length + change.removedNodes.length;
        }
      });
      observer.observe(log, { subtree: true, childList: true, characterData: true });
      const deltas = 1200;
      const size = Math.ceil(whole.length / deltas);
      for (let at = 0; at < deltas; at++) {
        half = at * 2 < deltas ? 0 : 1;
        window.drive.stream({ type: 'text-delta', i: 0, text: whole.slice(at * size, (at + 1) * size) });
        await new Promise((done) => setTimeout(done, 0));
        if (at % 100 !== 99) continue;
        // All but the last two blocks are finished.
        const blocks = [...document.querySelectorAll('.md[data-open] .md__block')].slice(0, -2);
        for (const block of blocks.slice(window.marked.length)) window.marked.push(block);
      }
      observer.disconnect();
      window.drive.stream({ type: 'text-end', i: 0 });
      window.drive.seal();
      return work;
    }, text);
    await view.settle();
    // The second half's work is also to draw the links of the first, which are defined at the end.
    expect(halves[1]! / halves[0]!).toBeLessThan(1.3);
    const kept = await page.evaluate(() => {
      const blocks = [...document.querySelectorAll('.md')].at(-1)!.querySelectorAll('.md__block');
      return { marked: window.marked.length, same: window.marked.filter((block, at) => block === blocks[at]).length };
    });
    expect(kept.marked).toBeGreaterThan(250);
    expect(kept.same).toBe(kept.marked);

    const other = await gallery.open('t-empty');
    await other.page.evaluate((whole) => {
      window.drive.window(2, 0, 10);
      window.drive.begin();
      window.drive.stream({ type: 'text-delta', i: 0, text: whole });
      window.drive.stream({ type: 'text-end', i: 0 });
      window.drive.seal();
    }, text);
    await expect.poll(() => html(other.page), { timeout: 20_000 }).toContain('A note.');
    expect(await html(page)).toBe(await html(other.page));
  });

  it('keeps a selection in the paragraph that is being written', async () => {
    const view = await gallery.open('t-empty');
    const selected = await view.page.evaluate(async () => {
      window.drive.window(2, 0, 10);
      window.drive.begin();
      window.drive.stream({ type: 'text-delta', i: 0, text: 'Before.\n\nThese **words here** are se' });
      await new Promise(requestAnimationFrame);
      const strong = document.querySelector('.md[data-open] strong')!;
      getSelection()!.selectAllChildren(strong);
      for (const text of ['lected', ', and more', ' `come`', '.\n\nAnother', ' one\n\n']) {
        window.drive.stream({ type: 'text-delta', i: 0, text });
        await new Promise(requestAnimationFrame);
      }
      return getSelection()!.toString();
    });
    expect(selected).toBe('words here');
  });
});

describe('what is very large', () => {
  const stage = useStage();
  const LINES = 200_000;
  const output = Array.from({ length: LINES }, (_, at) => `\u001b[32mline ${at}\u001b[0m of the output`).join('\n');
  const words = (name: string, bytes: number): string => {
    const paragraph = `A paragraph of **${name}** that says little and is there to be long.\n\n`;
    return `The beginning of ${name}.\n\n${paragraph.repeat(Math.ceil(bytes / paragraph.length))}The end of ${name}.`;
  };
  const result = (turnId: string, callId: string, i: number, stdout: string): RecordDraft => ({
    kind: 'chunk',
    id: `${turnId}.0.t.${i}`,
    turnId,
    step: 0,
    role: 'tool',
    type: 'tool_result',
    data: { callId, content: [{ type: 'text', text: 'done' }], isError: false, shell: { stdout, stderr: '', exitCode: 0 } },
  });
  const call = (turnId: string, callId: string, i: number, command: string): RecordDraft => ({
    kind: 'chunk',
    id: `${turnId}.0.m.${i}`,
    turnId,
    step: 0,
    role: 'assistant',
    type: 'tool_call',
    data: { callId, name: 'run', args: JSON.stringify({ command }) },
  });

  /** The end of a box, by keyboard alone. Other rows are still being measured: a key that fell between is pressed again. */
  async function byKeyboard(box: Locator, end: Locator): Promise<void> {
    await expect
      .poll(
        async () => {
          await box.press('End');
          return end.isVisible();
        },
        { timeout: 30_000 },
      )
      .toBe(true);
  }

  it('a result of 5 MB, one line of 5 MB, a text of 300 KB and one of 1.5 MB can be read to their ends', async () => {
    const server = await CairnServer.create();
    stage.afterwards(() => server.dispose());
    const [made] = await seedSessions(server.dataFolder, [
      {
        title: 'Large',
        workspace: server.workspace,
        turns: [
          { prompt: 'A long story', rows: (turnId) => [textRow(turnId, 0, 0, words('the story', 300_000))] },
          { prompt: 'A book', rows: (turnId) => [textRow(turnId, 0, 0, words('the book', 1_500_000))] },
          {
            prompt: 'Build it',
            rows: (turnId) => [
              call(turnId, 'call_lines', 0, 'make world'),
              call(turnId, 'call_line', 1, 'cat bundle.js'),
              result(turnId, 'call_lines', 0, output),
              result(turnId, 'call_line', 1, `${'ab'.repeat(2_500_000)}THE END`),
            ],
          },
        ],
      },
    ]);
    await server.start();
    const ui = await (await stage.device()).signIn(server);
    const { page } = ui;
    await page.goto(`${server.url}/s/${made!.id}`);

    const make = ui.transcript().locator('.card', { hasText: 'make world' });
    await make.locator('summary').click();
    await make.getByRole('button', { name: 'Load the whole' }).click();
    await make.getByRole('button', { name: /^Show all/ }).click();
    const lines = make.getByRole('group', { name: 'Output' });
    await lines.getByText('line 3 of the output').waitFor();
    expect(await lines.locator('.lines__row').count()).toBeLessThan(120);
    await byKeyboard(lines, lines.getByText(`line ${LINES - 1} of the output`));
    expect(await lines.locator('.lines__row').count()).toBeLessThan(120);
    await make.getByText('200,000 lines').waitFor();

    const cat = ui.transcript().locator('.card', { hasText: 'cat bundle.js' });
    await cat.locator('summary').click();
    await cat.getByRole('button', { name: 'Load the whole' }).click();
    await cat.getByRole('button', { name: /^Show all/ }).click();
    await byKeyboard(cat.getByRole('group', { name: 'Output' }), cat.getByText(/b?THE END$/));

    // Words up to 1 MB are there by themselves; a book is asked for.
    await page.getByText('The beginning of the book.').scrollIntoViewIfNeeded();
    await ui.transcript().getByRole('button', { name: 'Load the whole' }).first().click();
    await page.getByText('The end of the book.').waitFor({ state: 'attached', timeout: 90_000 });
    await page.getByText('The beginning of the story.').scrollIntoViewIfNeeded();
    await page.getByText('The end of the story.').waitFor({ state: 'attached', timeout: 60_000 });
  }, 300_000);
});
