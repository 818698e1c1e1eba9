/** The transcript over stores that are moved by hand, in a real browser: what is not redrawn, and how an approval is answered. */
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { useGallery, type Transcript } from './harness/gallery.ts';

const gallery = useGallery();
let view: Transcript;
let page: Page;
async function open(state: string): Promise<void> {
  view = await gallery.open(state);
  page = view.page;
}
const settle = (): Promise<void> => view.settle();
beforeEach(() => open('t-empty'));

describe('what is not redrawn', () => {
  it('finished blocks keep their nodes while words stream and when they are sealed', async () => {
    await page.evaluate(() => {
      window.drive.window(2, 0, 10);
      window.drive.begin();
      window.drive.stream({ type: 'text-delta', i: 0, text: 'First paragraph.\n\n```js\nconst a = 1;\n```\n\nThird one is op' });
    });
    await settle();
    await page.evaluate(() => {
      const blocks = document.querySelectorAll('.log > li .md[data-open] .md__block');
      window.marked = [...blocks].slice(0, 2).map((block) => block.firstElementChild!);
    });
    await page.evaluate(() => {
      for (let at = 0; at < 20; at++) window.drive.stream({ type: 'text-delta', i: 0, text: 'en. ' });
      window.drive.stream({ type: 'text-end', i: 0 });
      window.drive.seal();
    });
    await settle();
    expect(await page.evaluate(() => window.marked.map((element) => element.isConnected))).toEqual([true, true]);
    expect(await page.locator('.md', { hasText: 'First paragraph' }).innerText()).toContain('Third one is open. en.');
  });
  it('a delta changes nodes of the open block only', async () => {
    await page.evaluate(() => {
      window.drive.window(6, 0, 30);
      window.drive.begin();
      window.drive.stream({ type: 'text-delta', i: 0, text: 'First paragraph.\n\nSecond is op' });
    });
    // Colour comes a moment after the code itself, and is no delta's doing.
    await page.locator('.code .k').first().waitFor();
    await settle();
    const touched = await page.evaluate(async () => {
      const found = new Set<string>();
      const observer = new MutationObserver((changes) => {
        for (const change of changes) {
          const element = change.target instanceof Element ? change.target : change.target.parentElement;
          const block = element?.closest('.md__block');
          found.add(block == null ? `${element?.tagName}.${element?.className}` : `block: ${block.textContent?.slice(0, 12)}`);
        }
      });
      observer.observe(document.querySelector('.log')!, { subtree: true, childList: true, characterData: true });
      window.drive.stream({ type: 'text-delta', i: 0, text: 'en' });
      await new Promise((done) => setTimeout(done, 100));
      observer.disconnect();
      return [...found];
    });
    expect(touched).toEqual(['block: Second is op']);
  });
  it('one delta renders one row, and not the list', async () => {
    await page.evaluate(() => {
      window.drive.window(60, 0, 300);
      window.drive.begin();
      window.drive.stream({ type: 'text-delta', i: 0, text: 'First paragraph.\n\nSecond is op' });
    });
    await settle();
    for (const following of [true, false]) {
      if (!following) await view.wheel(-200);
      const renders = await page.evaluate(async () => {
        window.drive.renders = {};
        for (let at = 0; at < 20; at++) {
          window.drive.stream({ type: 'text-delta', i: 0, text: 'en. Words follow.\n\n' });
          await new Promise(requestAnimationFrame);
        }
        await new Promise((done) => setTimeout(done, 100));
        return window.drive.renders;
      });
      expect(renders['StepRow'], JSON.stringify(renders)).toBe(20);
      expect(renders).not.toHaveProperty('Transcript');
      expect(renders).not.toHaveProperty('TranscriptRow');
      expect(renders).not.toHaveProperty('PromptRow');
    }
  });
  it('B29: rows keep their nodes over pages at both ends, an eviction and a seal', async () => {
    await view.window(96, 300, 480);
    await view.wheel(-4000);
    await page.evaluate(() => {
      const edge = document.querySelector('.transcript__scroll')!.getBoundingClientRect();
      window.marked = [...document.querySelectorAll('.log > li')].filter((row) => {
        const { top, bottom } = row.getBoundingClientRect();
        return bottom > edge.top && top < edge.bottom;
      });
    });
    const kept = (): Promise<boolean[]> => page.evaluate(() => window.marked.map((row) => row.isConnected));
    for (const [from, to] of [
      [240, 480],
      [240, 440],
      [300, 460],
    ] as const) {
      await page.evaluate(([a, b]) => window.drive.slide(a, b), [from, to] as const);
      await settle();
      const connected = await kept();
      expect(connected.length).toBeGreaterThan(1);
      expect(connected).not.toContain(false);
    }
    await page.evaluate(() => {
      window.drive.slide(300, 480);
      window.drive.begin();
      window.drive.stream({ type: 'text-delta', i: 0, text: 'Words that are sealed.' });
    });
    await view.box.press('End');
    const row = page.locator('.log > li', { hasText: 'Words that are sealed.' });
    await row.evaluate((element) => window.marked.push(element, element.querySelector('.md')!));
    await page.evaluate(() => window.drive.seal());
    await settle();
    expect((await kept()).slice(-2)).toEqual([true, true]);
  });
  it('what holds the focus or the selection stays in the page when it leaves the view', async () => {
    await view.window(96, 300, 480);
    const time = page.locator('.log > li .prompt__when').last();
    await time.focus();
    await time.evaluate((element) => (window.marked = [element]));
    await view.wheel(-9000);
    const focused = (): Promise<boolean> =>
      page.evaluate(() => document.activeElement === window.marked[0] && window.marked[0]!.isConnected);
    expect(await focused()).toBe(true);
    expect(await page.locator('.log > li').count()).toBeLessThan(60);
    // The gap between is as high as what is not there.
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    const words = await view.reading();
    await view.row(words).evaluate((element) => document.getSelection()!.selectAllChildren(element.querySelector('.md, p')!));
    const marked = await page.evaluate(() => document.getSelection()!.toString());
    await view.wheel(6000);
    expect(marked.length).toBeGreaterThan(3);
    expect(await page.evaluate(() => document.getSelection()!.toString())).toBe(marked);
  });
  it('a prompt keeps its node from the moment it is held to its place in the transcript', async () => {
    await page.evaluate(() => window.drive.window(3, 0, 15));
    const id = await page.evaluate(() => window.drive.hold('Words that stay'));
    const prompt = page.locator('.prompt', { hasText: 'Words that stay' });
    await prompt.waitFor();
    expect(await prompt.getAttribute('data-stage')).toBe('held');
    await prompt.evaluate((element) => (window.marked = [element]));
    await page.evaluate((input) => window.drive.promote(input), id);
    await settle();
    expect(await prompt.getAttribute('data-stage')).toBe('sealed');
    expect(await page.evaluate(() => window.marked[0]!.isConnected)).toBe(true);
  });
});

describe('an approval', () => {
  it('shows the exact command, is answered once, and shrinks to one line when it is decided', async () => {
    await open('t-approval-run');
    const card = page.getByRole('region', { name: 'Run this command?' });
    expect(await card.innerText()).toContain('npm install --save-dev iconv-lite@0.7');
    await card.getByRole('button', { name: 'Allow once' }).click();
    await page.getByText('Sending your yes.').waitFor();
    expect(await card.count()).toBe(0);
    await page.evaluate(() => window.drive.decide());
    await page.locator('.card', { hasText: 'Allowed' }).getByText('by you, here').waitFor();
  });
  it('a letter answers only while the card itself has the focus', async () => {
    await open('t-approval-run');
    const card = page.getByRole('region', { name: 'Run this command?' });
    await page.getByRole('textbox', { name: 'Prompt' }).press('y');
    expect(await card.count()).toBe(1);
    await card.getByRole('button', { name: 'Deny' }).focus();
    await page.keyboard.press('n');
    await page.getByText('Sending your no.').waitFor();
  });
  it('on a phone it is a sheet that can be put away and asked for again', async () => {
    await open('t-approval-run');
    await page.setViewportSize({ width: 390, height: 760 });
    const sheet = page.getByRole('dialog', { name: 'Run this command?' });
    await sheet.waitFor();
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Review' }).last().click();
    await sheet.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('Sending your no.').waitFor();
    expect(await sheet.count()).toBe(0);
  });
});
