/** Following the tail: it stops at the first upward gesture of any kind, and starts again at the bottom or when something is sent. */
import { beforeEach, describe, expect, it } from 'vitest';
import { useGallery, type Transcript } from './harness/gallery.ts';
import { strayOf } from './harness/lines.ts';

const gallery = useGallery();
const AT_END = 2;
let view: Transcript;

async function open(options?: Parameters<typeof gallery.open>[1]): Promise<void> {
  view = await gallery.open('t-empty', options);
  await view.window(30, 0, 150);
  await view.page.evaluate(() => window.drive.begin());
  await grow();
}
/** More words of an answer come in. */
async function grow(): Promise<void> {
  for (let round = 0; round < 4; round++) {
    await view.page.evaluate(() => window.drive.stream({ type: 'text-delta', i: 0, text: 'Still more words.\n\n'.repeat(8) }));
    await view.page.waitForTimeout(40);
  }
  await view.settle();
}
async function expectStopped(): Promise<void> {
  const at = await view.offset();
  await grow();
  expect(await view.offset()).toBe(at);
  expect(await view.below()).toBeGreaterThan(100);
}
async function expectFollowing(): Promise<void> {
  await grow();
  expect(await view.below()).toBeLessThanOrEqual(AT_END);
}

describe('following stops at the first', () => {
  beforeEach(() => open());

  it('turn of the wheel, however small; a turn down at the bottom starts it again', async () => {
    await expectFollowing();
    await view.wheel(-3);
    await expectStopped();
    await view.wheel(100_000);
    await expectFollowing();
  });
  it.each(['PageUp', 'ArrowUp', 'Home', 'Shift+Space'])('key that goes up: %s; End starts it again', async (key) => {
    await view.box.focus();
    await view.page.keyboard.press(key);
    await view.settle();
    await expectStopped();
    await view.page.keyboard.press('End');
    await view.settle();
    await expectFollowing();
  });
  it('Home goes to the first row of the window at once, through rows that were never measured', async () => {
    await view.box.press('Home');
    await view.settle();
    expect(await view.offset()).toBe(0);
    await view.page.getByText('Prompt 0', { exact: true }).waitFor();
    expect(await view.page.locator('.log > li').first().getAttribute('data-row')).toBe('top');
  });
  it('drag of the scroll bar', async () => {
    // Headless browsers draw no bar to take hold of: it moves the view without a wheel, a key or a touch.
    await view.box.evaluate((box) => box.scrollBy(0, -120));
    await view.settle();
    await expectStopped();
  });
  it.each(['Control+f', 'Meta+f', 'F3'])('search of the browser: %s, wherever the focus is', async (key) => {
    await view.page.getByRole('textbox', { name: 'Prompt' }).focus();
    await view.page.keyboard.press(key);
    await expectStopped();
  });
  it('words that are marked', async () => {
    await view.page
      .locator('.md')
      .last()
      .evaluate((words) => document.getSelection()!.selectAllChildren(words.querySelector('p')!));
    await expectStopped();
  });
  it('move of a finger, and it starts again when the reader has come back down', async () => {
    await open({ viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true });
    const session = await view.page.context().newCDPSession(view.page);
    const swipe = async (by: number): Promise<void> => {
      const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', y: number): Promise<unknown> =>
        session.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x: 200, y }] });
      await touch('touchStart', 350);
      for (let part = 1; part <= 5; part++) await touch('touchMove', 350 + (by * part) / 5);
      await touch('touchEnd', 350);
      await view.settle();
    };
    await swipe(60);
    await expectStopped();
    for (let tries = 0; tries < 20 && (await view.below()) > AT_END; tries++) await swipe(-240);
    await expectFollowing();
  });
  it('never at a gesture that only moves a box within the transcript', async () => {
    await view.page
      .locator('.md')
      .last()
      .evaluate((words) => {
        const inner = document.createElement('div');
        inner.id = 'inner';
        inner.style.cssText = 'height: 60px; overflow-y: auto';
        const long = document.createElement('div');
        long.style.height = '400px';
        inner.append(long);
        words.parentElement!.append(inner);
        inner.scrollTop = 200;
      });
    await view.settle();
    await view.page.locator('#inner').hover();
    await view.page.mouse.wheel(0, -40);
    await view.settle();
    expect(await view.page.locator('#inner').evaluate((inner) => inner.scrollTop)).toBeLessThan(200);
    await expectFollowing();
  });
});

describe('following starts again', () => {
  beforeEach(() => open());

  it('when something is sent from here', async () => {
    await view.wheel(-900);
    await view.page.evaluate(() => window.drive.hold('A prompt that is written here'));
    await view.settle();
    expect(await view.below()).toBeLessThanOrEqual(AT_END);
    await expectFollowing();
  });
  it('at the button, which counts what came since', async () => {
    await view.wheel(-900);
    await view.page.evaluate(() => window.drive.seal());
    await view.page.getByRole('button', { name: '1 new' }).click();
    await view.settle();
    expect(await view.below()).toBeLessThanOrEqual(AT_END);
  });
  it('never at the bottom of a window that is not the tail', async () => {
    await view.window(120, 100, 300);
    await view.wheel(-500);
    await view.wheel(100_000);
    expect(await view.below()).toBeLessThanOrEqual(AT_END);
    const more = (): Promise<void> => view.page.evaluate(() => window.drive.slide(100, 360));
    expect(await strayOf(view.row(await view.reading()), more)).toBeLessThanOrEqual(2);
    expect(await view.below()).toBeGreaterThan(1000);
    await view.page.getByRole('button', { name: 'Newest' }).waitFor();
  });
});
