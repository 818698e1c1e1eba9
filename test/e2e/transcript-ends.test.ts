/** Both ends of the window: what is asked for and how often, what is shown as missing, and what the reader asked to see. */
import { describe, expect, it } from 'vitest';
import type { Paging } from '../gallery/drive.ts';
import { useGallery, type Transcript } from './harness/gallery.ts';
import { strayOf } from './harness/lines.ts';

const gallery = useGallery();
type Side = 'older' | 'newer';
const SIDES = ['older', 'newer'] as const;

/** A window in the middle of a long history, with its reader close to one end of it. */
async function closeTo(side: Side, paging: Paging): Promise<Transcript> {
  const view = await gallery.open('t-empty');
  await view.page.evaluate((what) => (window.drive.paging = what), paging);
  await view.window(120, 200, 400);
  // Not by a wheel: where a page comes in, the rest of a long turn of it would go on into that.
  await view.box.evaluate((box, up) => box.scrollTo(0, up ? 400 : box.scrollHeight - box.clientHeight - 400), side === 'older');
  await view.settle();
  return view;
}
const asked = (view: Transcript, side: Side): Promise<number> => view.page.evaluate((at) => window.drive.asked[at], side);

describe.each(SIDES)('the %s end', (side) => {
  it.each<Paging>(['ignored', 'nothing'])(
    'is not asked for in a circle where a try brings nothing (%s), and is asked for again',
    async (paging) => {
      const view = await closeTo(side, paging);
      const before = await asked(view, side);
      expect(before).toBeGreaterThan(0);
      await view.page.waitForTimeout(3500);
      const after = (await asked(view, side)) - before;
      expect(after).toBeGreaterThan(0);
      expect(after).toBeLessThanOrEqual(3);
      // Once something comes of it, the window goes on.
      await view.page.evaluate(() => (window.drive.paging = 'page'));
      await expect
        .poll(() => view.page.evaluate((at) => window.drive.edges()[at], side), { timeout: 9000 })
        .not.toBe(side === 'older' ? 200 : 400);
    },
  );
  it('is not asked for in a circle where a try fails, and the failure is told', async () => {
    gallery.allow('the page could not be read');
    const view = await closeTo(side, 'throws');
    const before = await asked(view, side);
    await view.page.waitForTimeout(3500);
    expect((await asked(view, side)) - before).toBeLessThanOrEqual(3);
  });
  it('is asked for one page at a time, ahead of the reader', async () => {
    const view = await closeTo(side, 'ignored');
    const before = await asked(view, side);
    const words = await view.reading();
    const page = async (): Promise<void> => {
      await view.page.evaluate(() => (window.drive.paging = 'page'));
      await expect
        .poll(() => view.page.evaluate((at) => window.drive.edges()[at], side), { timeout: 9000 })
        .toBe(side === 'older' ? 140 : 460);
    };
    expect(await strayOf(view.row(words), page)).toBeLessThanOrEqual(2);
    const tries = (await asked(view, side)) - before;
    await view.page.waitForTimeout(1500);
    expect((await asked(view, side)) - before).toBe(tries);
    expect(await view.page.evaluate((at) => window.drive.edges()[at], side)).toBe(side === 'older' ? 140 : 460);
  });
  it('law 10: tells what is not on this device, asks for it once the link is back, and not before', async () => {
    const view = await closeTo(side, 'ignored');
    const words = side === 'older' ? 'Older part is not on this device' : 'This part is not on this device';
    await view.page.evaluate((at) => window.drive.hole(at, true), side);
    await view.page.getByText(words).scrollIntoViewIfNeeded();
    const gap = view.page.locator('.gap', { hasText: words });
    expect(await gap.innerText()).toMatch(/[\d,]+ records, /);
    const before = await asked(view, side);
    await view.wheel(side === 'older' ? -2000 : 2000);
    await view.page.waitForTimeout(1200);
    expect(await asked(view, side)).toBe(before);
    await gap.getByRole('button', { name: 'Get it when back online' }).click();
    await gap.getByText('It comes when the link is back.').waitFor();
    expect(await asked(view, side)).toBe(before);
    await view.page.evaluate((at) => window.drive.hole(at, false), side);
    await expect.poll(() => asked(view, side)).toBeGreaterThan(before);
    // And again at once when the reader presses the button.
    const now = await asked(view, side);
    await gap.getByRole('button', { name: 'Get it now' }).click();
    expect(await asked(view, side)).toBe(now + 1);
  });
});

describe('a chunk that the reader asked to see', () => {
  /** Where the marked item stands, as a part of the view's height. */
  const place = (view: Transcript): Promise<number> =>
    view.page.locator('[data-target]').evaluate((item) => {
      const box = item.closest('.transcript__scroll')!.getBoundingClientRect();
      return (item.getBoundingClientRect().top - box.top) / box.height;
    });
  const WANTED = 0.2;

  it.each([210, 305, 390])('is brought to the top third among rows that were never measured, marked and focused (%i)', async (at) => {
    const view = await gallery.open('t-empty');
    await view.window(96, 180, 480);
    const height = await view.box.evaluate((box) => box.clientHeight);
    const id = await view.page.evaluate((n) => window.drive.show(n), at);
    const target = view.page.locator('[data-target]');
    await target.waitFor();
    expect(Math.abs((await place(view)) - WANTED) * height).toBeLessThanOrEqual(2);
    expect(await target.evaluate((item) => document.activeElement === item && item.tabIndex)).toBe(-1);
    expect(await view.page.evaluate((chunk) => window.drive.holds(document.activeElement!, chunk), id)).toBe(true);
    // It stays there while what is around it is measured and paged.
    expect(await strayOf(target, () => view.page.evaluate(() => window.drive.slide(120, 480)))).toBeLessThanOrEqual(2);
    // Following has stopped; the mark goes, and the place stays.
    await view.page.evaluate(() => {
      window.drive.begin();
      window.drive.stream({ type: 'text-delta', i: 0, text: 'Words that stream. '.repeat(80) });
    });
    await target.waitFor({ state: 'detached' });
    const top = await view.page.evaluate(
      () =>
        document.activeElement!.getBoundingClientRect().top - document.querySelector('.transcript__scroll')!.getBoundingClientRect().top,
    );
    expect(Math.abs(top - WANTED * height)).toBeLessThanOrEqual(2);
  });
  it('also when it is told before its chunks are here, deep within a long step, and once more', async () => {
    const view = await gallery.open('t-empty');
    await view.page.evaluate(() => {
      window.drive.step(200, 200, 200);
      window.drive.show(120);
      window.drive.slide(60, 180);
    });
    await view.page.locator('[data-target]', { hasText: 'Answer 119' }).waitFor();
    const height = await view.box.evaluate((box) => box.clientHeight);
    expect(Math.abs((await place(view)) - WANTED) * height).toBeLessThanOrEqual(2);
    await view.wheel(3000);
    await view.page.evaluate(() => window.drive.show(120));
    await view.settle();
    expect(Math.abs((await place(view)) - WANTED) * height).toBeLessThanOrEqual(2);
  });
  it('lets go when the reader moves on', async () => {
    const view = await gallery.open('t-empty');
    await view.window(96, 180, 480);
    await view.page.evaluate(() => window.drive.show(300));
    await view.page.locator('[data-target]').waitFor();
    await view.wheel(-700);
    const words = await view.reading();
    expect(await strayOf(view.row(words), () => view.page.evaluate(() => window.drive.slide(120, 480)))).toBeLessThanOrEqual(2);
  });
});

describe('the address of a part', () => {
  it('is the time of a prompt, and a link at each step that the keyboard reaches', async () => {
    const view = await gallery.open('t-empty');
    await view.window(3, 0, 15);
    const time = view.page.locator('.log').getByRole('link', { name: /Link to this part/ });
    expect(
      await time.evaluateAll((links) => links.map((link) => new URL((link as HTMLAnchorElement).href).pathname.split('/').at(-1))),
    ).toEqual(['1', '2', '6', '7', '11', '12']);
    const step = view.page.locator('.part-link').first();
    expect(await step.evaluate((link) => getComputedStyle(link).opacity)).toBe('0');
    await step.focus();
    expect(await step.evaluate((link) => getComputedStyle(link).opacity)).toBe('1');
    await step.press('Enter');
    await view.page.waitForURL(/\/s\/[0-9a-f-]{36}\/2$/);
  });
  it('is not in the way of a thumb', async () => {
    const view = await gallery.open('t-empty', { viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true });
    await view.window(3, 0, 15);
    const step = view.page.locator('.part-link').first();
    expect(await step.evaluate((link) => [getComputedStyle(link).opacity, getComputedStyle(link).pointerEvents])).toEqual(['0', 'none']);
  });
});
