/** The main screens pass axe (WCAG 2.2 AA and best practice), light and dark, at the desk and on a phone. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { root } from './harness/server.ts';
import { useModel, useStage } from './harness/stage.ts';

const stage = useStage();
const axe = readFileSync(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8');

/** Each broken rule with the first place it is broken in. */
async function broken(page: Page, screen: string): Promise<string[]> {
  await page.evaluate(axe);
  const found = await page.evaluate(async () => {
    const { axe: runner } = window as unknown as {
      axe: { run(options: unknown): Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }> };
    };
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const { violations } = await runner.run({ runOnly: { type: 'tag', values: tags } });
    return violations.map(
      (rule) => `${rule.id} (${rule.nodes.length}): ${rule.nodes[0]?.html ?? ''} ${rule.nodes[0]?.failureSummary ?? ''}`,
    );
  });
  return found.map((what) => `${screen}: ${what}`);
}

describe('accessibility', () => {
  it.each([
    ['light', 'desk'],
    ['dark', 'desk'],
    ['light', 'phone'],
    ['dark', 'phone'],
  ] as const)('%s, %s', async (colorScheme, size) => {
    const model = await useModel(stage, async (request, reply) => {
      if (request.results.length > 0)
        return reply.text('Done.\n\n- one\n- two\n\n```js\nconst a = 1;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n');
      await reply.thinking('First a look.');
      await reply.tool('list', {});
      return reply.tool('run', { command: 'echo hello' });
    });
    const server = await stage.server({ env: model.env });
    const phone = size === 'phone';
    const device = await stage.device({
      colorScheme,
      reducedMotion: 'reduce',
      linkTrouble: true,
      ...(phone ? { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } : {}),
    });
    const faults: string[] = [];

    const stranger = await device.open(server.url);
    await stranger.page.getByRole('textbox').first().waitFor();
    faults.push(...(await broken(stranger.page, 'signed out')));
    await stranger.page.close();

    const ui = await device.signIn(server);
    faults.push(...(await broken(ui.page, 'empty list')));
    await ui.newSessionButton().click();
    await ui.picker().getByRole('button', { name: 'places' }).first().waitFor();
    faults.push(...(await broken(ui.page, 'folder picker')));
    await ui.page.goto(server.url);
    await ui.startSession();
    await ui.send('show everything');
    await ui.approval().waitFor();
    faults.push(...(await broken(ui.page, 'approval')));
    await ui.approval().click();
    await ui.said('one').waitFor();
    await ui.idle();
    await ui.openEverything();
    faults.push(...(await broken(ui.page, 'transcript')));

    await server.stop();
    await ui.link(/offline/i).waitFor();
    await ui.send('held here');
    faults.push(...(await broken(ui.page, 'offline')));
    expect(faults).toEqual([]);
  });
});
