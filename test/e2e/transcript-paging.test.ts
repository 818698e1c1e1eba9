/** The built app over a long history: pages from the server and from this device under a reader who goes up, while a turn runs. */
import { describe, expect, it } from 'vitest';
import { seedSessions } from '../support/seeded.ts';
import { textRow } from '../support/store-harness.ts';
import { Transcript } from './harness/gallery.ts';
import { framesOf, watchLines } from './harness/lines.ts';
import { CairnServer } from './harness/server.ts';
import { useModel, useStage } from './harness/stage.ts';

const stage = useStage();
const LINE = 2;
const WORDS = 'The tide table is read once a day and kept by berth. ';
/** The lock under which one window of a device copies (app/sync/copying.ts). */
const COPYING = 'cairn-copy';
const TURNS = 80;
const TEXTS = 8;

/** Turns of one prompt and two steps of texts, of every height. */
function history(): { prompt: string; rows(turnId: string, n: number): ReturnType<typeof textRow>[] }[] {
  return Array.from({ length: TURNS }, (_, turn) => ({
    prompt: `Prompt ${turn}`,
    rows: (turnId) =>
      Array.from({ length: TEXTS }, (_text, at) =>
        textRow(turnId, at >> 2, at % 4, `## Answer ${turn * TEXTS + at}\n\n${WORDS.repeat(1 + ((turn * 5 + at * 3) % 4))}`),
      ),
  }));
}

/** Records that were asked for, one entry a request. */
interface Asked {
  from: number;
  to: number;
}

describe('B29: a reader who goes up through a long history while a turn runs', () => {
  it('keeps the line through pages of the server, late heights, live words and an eviction, and again through pages of this device; each page is asked for once', async () => {
    const model = await useModel(stage, (_request, reply) => reply.text(WORDS.repeat(400), { wait: 20 }));
    const first = await CairnServer.create({ env: model.env });
    stage.afterwards(() => first.dispose());
    const [seeded] = await seedSessions(first.dataFolder, [{ title: 'Long', workspace: first.workspace, turns: history() }]);
    await first.start();
    // Another window of this device seems to copy the history: what is read here comes from the server, page by page.
    const device = await stage.device({
      before: `if (isSecureContext && origin !== 'null') navigator.locks.request('${COPYING}', () => new Promise(() => undefined))`,
    });
    const ui = await device.signIn(first);
    await watchLines(ui.page);
    const asked: Asked[] = [];
    ui.page.on('request', (request) => {
      const url = new URL(request.url());
      if (!url.pathname.endsWith('/log')) return;
      const after = Number(url.searchParams.get('after'));
      asked.push({ from: after + 1, to: after + Number(url.searchParams.get('limit')) });
    });
    await ui.page.goto(`${first.url}/s/${seeded!.id}`);
    await ui.said(`Answer ${TURNS * TEXTS - 1}`).waitFor();
    const view = new Transcript(ui.page);
    await first.prompt(ui.page.url(), 'stream on');
    await ui.stopButton().waitFor();
    await ui.page.locator('.md[data-open]').waitFor();
    /** Off the tail, past the words that stream. */
    const leave = async (): Promise<void> => {
      const streams = ui.page.locator('.log > li', { has: ui.page.locator('.md[data-open]') });
      const isAway = (): Promise<boolean> =>
        streams.evaluateAll((rows) => rows.every((row) => row.getBoundingClientRect().top > innerHeight - 300));
      do await view.wheel(-700);
      while (!(await isAway()));
    };
    await leave();

    /** Turns the wheel up by `by` and answers by how much the line went astray of that, over the whole way. */
    const up = async (by: number, late: boolean): Promise<number> => {
      const line = view.row(await view.reading());
      const tops = await framesOf(line, async () => {
        // A page may be on its way: it comes in above a reader who waits for it.
        await expect.poll(() => view.offset(), { timeout: 20_000 }).toBeGreaterThan(by + 100);
        await view.box.hover();
        const topOf = (): Promise<number> => line.evaluate((row) => row.getBoundingClientRect().top);
        const from = await topOf();
        await ui.page.mouse.wheel(0, -by);
        if (late) {
          await ui.page.evaluate(() => {
            const edge = document.querySelector('.transcript__scroll')!.getBoundingClientRect().top;
            const above = [...document.querySelectorAll('.log > li')].findLast((row) => row.getBoundingClientRect().bottom < edge - 20);
            const grown = document.createElement('div');
            grown.className = 'late';
            grown.textContent = 'Late words. '.repeat(60);
            above?.firstElementChild?.append(grown);
          });
        }
        await expect.poll(topOf, { timeout: 20_000 }).toBeGreaterThanOrEqual(from + by - LINE);
        await view.settle();
      });
      const back = tops.slice(1).map((top, at) => tops[at]! - top);
      return Math.max(Math.abs(tops.at(-1)! - tops[0]! - by), ...back);
    };
    /** Goes up until the view begins in this turn or above it. Answers the worst of all turns of the wheel. */
    const climb = async (until: number): Promise<number> => {
      let worst = 0;
      for (let turn = 0; turn < 100; turn++) {
        worst = Math.max(worst, await up(500, turn % 3 === 1));
        const [kind, at] = (await view.reading()).split(' ');
        if (Number(at) / (kind === 'Answer' ? TEXTS : 1) < until) return worst;
      }
      throw new Error('the reader does not get there');
    };
    expect(await climb(TURNS - 28), 'px, from the server').toBeLessThanOrEqual(LINE);
    expect(await ui.stopButton().isVisible(), 'the turn runs all the while').toBe(true);
    expect(await ui.page.locator('.md[data-open]').count(), 'the far end was let go').toBe(0);
    expect(asked.length).toBeGreaterThan(1);
    const inOrder = asked.toSorted((a, b) => a.from - b.from);
    for (let at = 1; at < inOrder.length; at++) expect(inOrder[at]!.from, JSON.stringify(inOrder)).toBeGreaterThan(inOrder[at - 1]!.to);

    // Back at the tail, and up once more: all of it is on this device now.
    const reached = inOrder[0]!.from;
    await view.box.press('End');
    await ui.page.locator('.md[data-open]').waitFor();
    await expect.poll(() => view.below()).toBeLessThanOrEqual(LINE);
    const before = asked.length;
    await leave();
    expect(await climb(TURNS - 24), 'px, from this device').toBeLessThanOrEqual(LINE);
    expect(asked.slice(before).filter(({ to }) => to >= reached)).toEqual([]);
    await ui.stopButton().click();
    await ui.idle();
  }, 240_000);
});
