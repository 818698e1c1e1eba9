/** A prompt from its first moment to its place in the transcript: one row, which stands where it stood, whatever happens around it. */
import { describe, expect, it } from 'vitest';
import { useGallery, type Transcript } from './harness/gallery.ts';
import { strayOf } from './harness/lines.ts';

const gallery = useGallery();
const LINE = 2;

/** A session that streams, with a prompt that its reader wrote. Answers the prompt's id. */
async function steered(words: string): Promise<{ view: Transcript; id: string }> {
  const view = await gallery.open('t-empty');
  await view.window(30, 0, 150);
  await view.page.evaluate(() => {
    window.drive.begin();
    window.drive.stream({ type: 'text-delta', i: 0, text: 'Words that stream. '.repeat(60) });
  });
  const id = await write(view, words);
  return { view, id };
}
async function write(view: Transcript, words: string): Promise<string> {
  const id = await view.page.evaluate((text) => window.drive.hold(text), words);
  await view.page.evaluate((written) => window.drive.stage(written, 'steer'), id);
  await view.settle();
  return id;
}
/** Each of these rows keeps its node, and there is one of each. */
async function expectSameNodes(view: Transcript, ids: string[], change: () => Promise<unknown>): Promise<void> {
  const find = (id: string): string => `.log > li[data-row="${id}"]`;
  await view.page.evaluate((all) => (window.marked = all.map((row) => document.querySelector(row)!)), ids.map(find));
  await change();
  await view.settle();
  const now = await view.page.evaluate(
    (all) => all.map((row, at) => [document.querySelectorAll(row).length, document.querySelector(row) === window.marked[at]] as const),
    ids.map(find),
  );
  expect(now).toEqual(ids.map(() => [1, true]));
}
/** The boundary as it comes: the step is sealed, the model is waited for, the prompts are promoted, the next step streams. */
async function boundary(view: Transcript, ...ids: string[]): Promise<void> {
  await view.page.evaluate(() => window.drive.seal());
  await view.page.waitForTimeout(60);
  await view.page.evaluate((all) => window.drive.promote(...all), ids);
  await view.page.waitForTimeout(60);
}

describe('a steer becomes its row in place', () => {
  it('I34: the same node, one bubble, and no jump, while its reader follows', async () => {
    const { view, id } = await steered('Handle CRLF too.');
    const bubble = view.row('Handle CRLF too.').locator('.prompt');
    // The step is sealed and nothing streams: the model is waited for, below what waits to join.
    await view.page.evaluate(() => window.drive.seal());
    await view.settle();
    let stray = 0;
    await expectSameNodes(view, [id], async () => {
      stray = await strayOf(bubble, () => view.page.evaluate((promoted) => window.drive.promote(promoted), id));
    });
    expect(stray).toBeLessThanOrEqual(LINE);
    expect(await view.row('Handle CRLF too.').locator('.rec').getAttribute('data-stage')).toBe('sealed');
  });
  it('I34: likewise under a thumb, where the words of the receipt take two lines', async () => {
    const view = await gallery.open('t-empty', { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
    await view.window(30, 0, 150);
    await view.page.evaluate(() => window.drive.begin());
    const id = await write(view, 'Handle CRLF too.');
    const bubble = view.row('Handle CRLF too.').locator('.prompt');
    expect(await strayOf(bubble, () => view.page.evaluate((promoted) => window.drive.promote(promoted), id))).toBeLessThanOrEqual(LINE);
  });
  it('I34: two together, in one transaction', async () => {
    const { view, id } = await steered('Handle CRLF too.');
    const second = await write(view, 'And say so in the log.');
    await view.page.evaluate(() => window.drive.seal());
    await view.settle();
    let stray = 0;
    await expectSameNodes(view, [id, second], async () => {
      const first = view.row('Handle CRLF too.').locator('.prompt');
      stray = await strayOf(first, () => view.page.evaluate((all) => window.drive.promote(...all), [id, second]));
    });
    expect(stray).toBeLessThanOrEqual(LINE);
    const order = await view.page.evaluate(() => [...document.querySelectorAll<HTMLElement>('.log > li')].map((row) => row.dataset['row']));
    expect(order.indexOf(id) + 1).toBe(order.indexOf(second));
  });
  it('I34: held here without a link, then accepted and promoted in one batch', async () => {
    const view = await gallery.open('t-empty');
    await view.window(30, 0, 150);
    const id = await view.page.evaluate(() => window.drive.hold('Written in a tunnel.'));
    await view.settle();
    await expectSameNodes(view, [id], () => view.page.evaluate((promoted) => window.drive.promote(promoted), id));
  });
  it('I34: turned into a queued one and back, it is in one lane at a time, and ends as one row', async () => {
    const { view, id } = await steered('Handle CRLF too.');
    const count = async (): Promise<number[]> => [
      await view.page.locator(`.log > li[data-row="${id}"]`).count(),
      await view.page.locator('.queue__item').count(),
    ];
    await view.page.evaluate((turned) => window.drive.stage(turned, 'queued'), id);
    await view.settle();
    expect(await count()).toEqual([0, 1]);
    await view.page.evaluate((turned) => window.drive.stage(turned, 'steer'), id);
    await view.settle();
    expect(await count()).toEqual([1, 0]);
    await expectSameNodes(view, [id], () => boundary(view, id));
    expect(await count()).toEqual([1, 0]);
  });
  it('B29: the line of a reader who has scrolled up does not move by it', async () => {
    const { view, id } = await steered('Handle CRLF too.');
    await view.wheel(-1200);
    const line = view.row(await view.reading());
    expect(await strayOf(line, () => boundary(view, id))).toBeLessThanOrEqual(LINE);
    const another = (): Promise<string> => view.page.evaluate(() => window.drive.hold('From the other device', true));
    expect(await strayOf(line, another)).toBeLessThanOrEqual(LINE);
  });
});
