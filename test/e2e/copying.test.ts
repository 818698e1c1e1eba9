/** R10: the whole of a long history comes down to a real browser while it is used, over a reload, and reads whole without the server. */
import type { BrowserContext, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { seedSessions, type SeededTurn } from '../support/seeded.ts';
import { textRow } from '../support/store-harness.ts';
import { freePort, LinkProxy } from './harness/link-proxy.ts';
import { CairnServer } from './harness/server.ts';
import { useStage } from './harness/stage.ts';

const stage = useStage();
const TURNS = 40;
const ROWS = 500;
const FILLING = 'Boats come and go with the tide, and somebody writes down their names. '.repeat(14);

function turns(): SeededTurn[] {
  return Array.from({ length: TURNS }, (_, n) => ({
    prompt: `Question ${n}`,
    rows: (turnId) => Array.from({ length: ROWS }, (_row, i) => textRow(turnId, 0, i, `Line ${n}.${i} of the log. ${FILLING}`)),
  }));
}
interface Harbour {
  server: CairnServer;
  link: LinkProxy;
  id: string;
  head: number;
}
async function harbour(): Promise<Harbour> {
  const port = await freePort();
  const link = await LinkProxy.start(port);
  stage.afterwards(() => link.close());
  const server = await CairnServer.create({ port, env: { CAIRN_ORIGINS: link.url } });
  stage.afterwards(() => server.dispose());
  const [made] = await seedSessions(server.dataFolder, [{ title: 'Harbour', workspace: server.workspace, turns: turns() }]);
  await server.start();
  return { server, link, ...made! };
}

/** Full pages of the session's log on this device, read past the app. */
function pagesHere(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve, reject) => {
        const open = indexedDB.open('cairn-mirror');
        open.addEventListener('error', () => reject(open.error));
        open.addEventListener('success', () => {
          const count = open.result.transaction('pages').objectStore('pages').count();
          count.addEventListener('success', () => {
            open.result.close();
            resolve(count.result);
          });
        });
      }),
  );
}
/** Pages of the log that were asked for and came, from now on. */
function asksOf(context: BrowserContext): number[] {
  const afters: number[] = [];
  context.on('requestfinished', (request) => {
    const after = /\/log\?after=(\d+)/.exec(request.url())?.[1];
    if (after !== undefined) afters.push(Number(after));
  });
  return afters;
}

test('told as it goes, on after a reload, and every part is there without the server', { timeout: 180_000 }, async () => {
  const { server, link, id, head } = await harbour();
  expect(head).toBeGreaterThan(20_000);
  const device = await stage.device({ linkTrouble: true });
  const came = asksOf(device.context);
  const ui = await device.signIn(server, link.url);
  await ui.page.getByRole('progressbar', { name: 'Copying older history' }).first().waitFor();
  await expect.poll(() => pagesHere(ui.page), { timeout: 60_000 }).toBeGreaterThan(40);
  await ui.page.reload();
  const before = [...came];
  await expect.poll(() => pagesHere(ui.page), { timeout: 90_000, interval: 300 }).toBe(Math.floor(head / 100));
  await expect.poll(() => ui.page.getByRole('progressbar', { name: 'Copying older history' }).count()).toBe(0);
  const again = came.slice(before.length).filter((after) => before.includes(after));
  // The page under way at the reload came, and was perhaps not kept.
  expect(before.length).toBeGreaterThan(5);
  expect(again.length).toBeLessThanOrEqual(1);

  await link.refuse();
  for (const n of [39, 0, 17, 8, 30]) {
    // Each turn is an admitted event, a prompt, its start, the rows and its end.
    await ui.page.goto(`${link.url}/s/${id}/${n * (ROWS + 4) + 250}`);
    await ui.said(new RegExp(`^Line ${n}\\.24\\d of the log`)).waitFor();
  }
  await ui.page.getByRole('button', { name: 'Jump to a turn' }).click();
  await ui.page.getByRole('searchbox', { name: 'Find a turn by its words' }).fill('Question 3');
  await ui.page
    .getByRole('link', { name: /^Question 3\b/ })
    .last()
    .waitFor();
});

test('typing is answered within the next frames while it runs', { timeout: 120_000 }, async () => {
  const { server, link, id, head } = await harbour();
  const device = await stage.device({ linkTrouble: true });
  const ui = await device.signIn(server, link.url);
  await ui.page.goto(`${link.url}/s/${id}`);
  await ui.composer().waitFor();
  await ui.page.evaluate(() => {
    const waits: number[] = [];
    Object.assign(globalThis, { waits });
    addEventListener('keydown', ({ timeStamp }) =>
      requestAnimationFrame(() => setTimeout(() => waits.push(performance.now() - timeStamp))),
    );
  });
  await ui.composer().focus();
  const begun = await pagesHere(ui.page);
  await ui.composer().pressSequentially('the harbour master keeps a log of every boat that comes in with the tide', { delay: 30 });
  const waits = (await ui.page.evaluate(() => (globalThis as unknown as { waits: number[] }).waits)).toSorted((a, b) => a - b);
  const ended = await pagesHere(ui.page);
  console.log(
    `typing beside the copying: p50 ${waits[waits.length >> 1]!.toFixed(1)} ms, p95 ${waits[Math.floor(waits.length * 0.95)]!.toFixed(1)} ms`,
  );
  expect(begun).toBeLessThan(Math.floor(head / 100));
  expect(ended).toBeGreaterThan(begun);
  expect(waits.length).toBeGreaterThan(60);
  expect(waits[Math.floor(waits.length * 0.95)]).toBeLessThan(100);
});
