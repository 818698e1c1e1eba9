/** The reader's line, in every painted frame: whatever comes, goes or grows around it, it stays where it is (B29). */
import { describe, expect, it } from 'vitest';
import { useGallery, type Transcript } from './harness/gallery.ts';
import { framesOf, strayOf } from './harness/lines.ts';

const gallery = useGallery();
const LINE = 2;

/** A reader in the middle of a window of a long history. Answers the words of the row at the top of the view. */
async function reader(by = -1500): Promise<{ view: Transcript; words: string }> {
  const view = await gallery.open('t-empty');
  await view.window(96, 300, 480);
  await view.wheel(by);
  return { view, words: await view.reading() };
}
/** Puts the row's beginning a few pixels below the upper edge of the view. */
async function bringUp(view: Transcript, words: string): Promise<void> {
  const top = await view.row(words).evaluate((row) => {
    return row.getBoundingClientRect().top - row.closest('.transcript__scroll')!.getBoundingClientRect().top;
  });
  await view.wheel(Math.round(top) - 6);
}
/** Something in the last row above the view grows by `px`. */
function growAbove(view: Transcript, px: number): Promise<void> {
  return view.page.evaluate((height) => {
    const edge = document.querySelector('.transcript__scroll')!.getBoundingClientRect().top;
    const above = [...document.querySelectorAll('.log > li')].findLast((row) => row.getBoundingClientRect().bottom < edge)!;
    const late = document.createElement('div');
    late.style.height = `${height}px`;
    above.firstElementChild!.append(late);
  }, px);
}

describe('B29: the reader’s line moves by no more than 2 px in any frame', () => {
  it('when one older page after another comes in above', async () => {
    const { view, words } = await reader();
    for (const from of [240, 150, 60, 0]) {
      expect(await strayOf(view.row(words), () => view.page.evaluate((at) => window.drive.slide(at, 480), from))).toBeLessThanOrEqual(LINE);
    }
  });
  it('when a page comes in above and the far end is let go in the same flush', async () => {
    const { view, words } = await reader(-4000);
    expect(await strayOf(view.row(words), () => view.page.evaluate(() => window.drive.slide(210, 440)))).toBeLessThanOrEqual(LINE);
  });
  it('when a newer page comes in below and the oldest are let go above', async () => {
    const { view, words } = await reader(-4000);
    await view.page.evaluate(() => window.drive.slide(280, 440));
    await view.settle();
    expect(await strayOf(view.row(words), () => view.page.evaluate(() => window.drive.slide(350, 480)))).toBeLessThanOrEqual(LINE);
  });
  it('when a page, a late height above, words that stream below and their seal come at the same moment', async () => {
    const { view, words } = await reader(-6000);
    const all = async (): Promise<void> => {
      await view.page.evaluate(() => {
        window.drive.begin();
        window.drive.stream({ type: 'text-delta', i: 0, text: 'Words that stream. '.repeat(40) });
      });
      await growAbove(view, 230);
      await view.page.evaluate(() => {
        window.drive.slide(240, 480);
        window.drive.stream({ type: 'text-delta', i: 0, text: 'And more. '.repeat(40) });
      });
      await growAbove(view, 55);
      await view.page.evaluate(() => {
        window.drive.seal();
        window.drive.slide(180, 420);
      });
    };
    expect(await strayOf(view.row(words), all)).toBeLessThanOrEqual(LINE);
  });
  it('when an image above is loaded late, and when a card above is opened', async () => {
    const { view, words } = await reader();
    const image = (): Promise<void> =>
      view.page.evaluate(async () => {
        const edge = document.querySelector('.transcript__scroll')!.getBoundingClientRect().top;
        const above = [...document.querySelectorAll('.log > li')].findLast((row) => row.getBoundingClientRect().bottom < edge)!;
        const picture = document.createElement('img');
        picture.src = `data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" width="200" height="180"/>`;
        above.firstElementChild!.append(picture);
        await picture.decode();
      });
    expect(await strayOf(view.row(words), image)).toBeLessThanOrEqual(LINE);
    const cards = (): Promise<number> =>
      view.page.evaluate(() => {
        const edge = document.querySelector('.transcript__scroll')!.getBoundingClientRect().top;
        const above = [...document.querySelectorAll('details')].filter((card) => card.getBoundingClientRect().bottom < edge);
        for (const card of above) card.open = true;
        return above.length;
      });
    let opened = 0;
    expect(await strayOf(view.row(words), async () => (opened = await cards()))).toBeLessThanOrEqual(LINE);
    expect(opened).toBeGreaterThan(0);
  });
  it('when a page edge cuts a step that fills the view: chunks come and go at its upper end', async () => {
    const view = await gallery.open('t-empty');
    await view.page.evaluate(() => window.drive.step(200, 80, 160));
    await view.settle();
    await view.wheel(-900);
    const words = await view.page.evaluate(() => {
      const edge = document.querySelector('.transcript__scroll')!.getBoundingClientRect().top;
      const items = [...document.querySelectorAll('.item')];
      return /Answer \d+/.exec(items.find((item) => item.getBoundingClientRect().top > edge)!.textContent)![0];
    });
    const item = view.page.locator('.item', { hasText: words }).first();
    expect(await view.page.locator('.log > li[data-row="turn-1.0"]').count()).toBe(1);
    for (const [from, to] of [
      [20, 160],
      [60, 160],
      [100, 150],
    ] as const) {
      expect(await strayOf(item, () => view.page.evaluate(([a, b]) => window.drive.slide(a, b), [from, to] as const))).toBeLessThanOrEqual(
        LINE,
      );
    }
  });
  it('when the pane gets narrower and wider', async () => {
    const { view, words } = await reader();
    await bringUp(view, words);
    for (const width of [760, 1200, 1000]) {
      expect(await strayOf(view.row(words), () => view.page.setViewportSize({ width, height: 800 }))).toBeLessThanOrEqual(LINE);
    }
  });
  it('when a phone is turned on its side and back', async () => {
    const view = await gallery.open('t-empty', { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
    await view.window(96, 300, 480);
    await view.box.evaluate((box) => box.scrollBy(0, -1500));
    await view.settle();
    const words = await view.reading();
    await view.box.evaluate((box, wanted) => {
      const row = [...box.querySelectorAll('.log > li')].find((li) => li.textContent.includes(wanted))!;
      box.scrollBy(0, row.getBoundingClientRect().top - box.getBoundingClientRect().top - 6);
    }, words);
    await view.settle();
    for (const [width, height] of [
      [740, 360],
      [360, 740],
    ] as const) {
      expect(await strayOf(view.row(words), () => view.page.setViewportSize({ width, height }))).toBeLessThanOrEqual(LINE);
    }
  });
  it('when an on-screen keyboard comes and goes', async () => {
    const view = await gallery.open('t-empty', { viewport: { width: 390, height: 760 } });
    await view.window(96, 300, 480);
    await view.wheel(-1500);
    const words = await view.reading();
    for (const height of [440, 760]) {
      expect(await strayOf(view.row(words), () => view.page.setViewportSize({ width: 390, height }))).toBeLessThanOrEqual(LINE);
    }
  });
  it('when a font arrives and every line is set anew', async () => {
    const { view, words } = await reader();
    await bringUp(view, words);
    const arrive = (): Promise<void> =>
      view.page.evaluate(() => document.documentElement.style.setProperty('--t-read', '430 1.125rem/1.75rem monospace'));
    expect(await strayOf(view.row(words), arrive)).toBeLessThanOrEqual(LINE);
  });
  it('when what has the focus is not at the top: it is the line then', async () => {
    const { view } = await reader();
    const link = view.page.locator('.prompt__when').nth(1);
    await link.evaluate((element) => {
      const box = element.closest('.transcript__scroll')!;
      box.scrollBy(0, element.getBoundingClientRect().top - box.getBoundingClientRect().top - 400);
    });
    await view.settle();
    await link.focus();
    const grow = (): Promise<void> =>
      link.evaluate((element) => {
        const late = document.createElement('div');
        late.style.height = '90px';
        element.closest('li')!.previousElementSibling!.firstElementChild!.append(late);
      });
    expect(await strayOf(link, grow)).toBeLessThanOrEqual(LINE);
  });
});

describe('B29: while the reader’s hand is on it', () => {
  it('nothing is written to the scroll position during a touch; the line holds, then and when the finger has gone', async () => {
    const { view, words } = await reader(-6000);
    const touch = (type: string): Promise<void> =>
      view.box.evaluate((box, name) => {
        const at = new Touch({ identifier: 1, target: box, clientX: 300, clientY: 300 });
        box.dispatchEvent(new TouchEvent(name, { bubbles: true, touches: name === 'touchstart' ? [at] : [], changedTouches: [at] }));
      }, type);
    await touch('touchstart');
    const before = await view.offset();
    const page = (): Promise<void> => view.page.evaluate(() => window.drive.slide(240, 440));
    expect(await strayOf(view.row(words), page)).toBeLessThanOrEqual(LINE);
    expect(await view.offset()).toBe(before);
    expect(await strayOf(view.row(words), () => touch('touchend'))).toBeLessThanOrEqual(LINE);
    expect(await view.offset()).toBeGreaterThan(before + 1000);
    expect(await view.page.locator('.log').evaluate((list) => list.style.marginTop)).toBe('');
  });
  it('a wheel moves the view by what it was turned, through rows that were never measured and a page that comes in', async () => {
    const { view, words } = await reader();
    const line = view.row(words);
    const tops = await framesOf(line, async () => {
      await view.box.hover();
      for (let turn = 0; turn < 6; turn++) {
        await view.page.mouse.wheel(0, -60);
        if (turn === 3) await view.page.evaluate(() => window.drive.slide(240, 480));
        await view.page.waitForTimeout(40);
      }
    });
    expect(Math.abs(tops.at(-1)! - tops[0]! - 360)).toBeLessThanOrEqual(LINE);
    // Never backwards on the way.
    for (let at = 1; at < tops.length; at++) expect(tops[at]! - tops[at - 1]!).toBeGreaterThanOrEqual(-LINE);
  });
});

describe('following the tail, the end of the list stands at the bottom', () => {
  it('in every frame, while words stream, are sealed, and the oldest are let go', async () => {
    const view = await gallery.open('t-empty');
    await view.window(60, 0, 300);
    const end = view.page.locator('.log > li[data-row="end"]');
    const stream = async (): Promise<void> => {
      await view.page.evaluate(() => window.drive.begin());
      for (let round = 0; round < 12; round++) {
        await view.page.evaluate(() => window.drive.stream({ type: 'text-delta', i: 0, text: 'More words of an answer.\n\n'.repeat(9) }));
        await view.page.waitForTimeout(25);
      }
      await view.page.evaluate(() => window.drive.seal());
      await view.page.evaluate(() => window.drive.slide(100, 300));
    };
    expect(await strayOf(end, stream)).toBeLessThanOrEqual(LINE);
    expect(await view.below()).toBeLessThanOrEqual(LINE);
  });
  it('when the pane is turned, the keyboard comes, and what is above changes its height', async () => {
    const view = await gallery.open('t-empty', { viewport: { width: 390, height: 760 } });
    await view.window(60, 0, 300);
    for (const size of [
      { width: 390, height: 420 },
      { width: 390, height: 760 },
      { width: 760, height: 390 },
    ]) {
      await view.page.setViewportSize(size);
      await view.settle();
      expect(await view.below()).toBeLessThanOrEqual(LINE);
    }
    const end = view.page.locator('.log > li[data-row="end"]');
    expect(await strayOf(end, () => growAbove(view, 300))).toBeLessThanOrEqual(LINE);
  });
});
