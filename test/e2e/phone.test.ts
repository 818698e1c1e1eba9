/** The whole flow on a phone, 360 pixels wide, by touch. */
import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { useModel, useStage } from './harness/stage.ts';

const stage = useStage();
const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };

const tooWide = (page: Page): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

describe('on a phone', () => {
  it('a session from the list to the approval sheet and back, with no sideways scroll', async () => {
    const model = await useModel(stage, (request, reply) =>
      request.results.length === 0
        ? reply.tool('run', { command: `echo ${'a-long-word-'.repeat(40)} > out.txt` })
        : reply.text(`Ran it.\n\n\`\`\`\n${'a long line of code '.repeat(30)}\n\`\`\`\n`),
    );
    const server = await stage.server({ env: model.env });
    const device = await stage.device(PHONE);
    const ui = await device.signIn(server);
    expect(await tooWide(ui.page)).toBeLessThanOrEqual(0);

    await ui.startSession();
    const field = await ui.composer().evaluate((box) => Number.parseFloat(getComputedStyle(box).fontSize));
    expect(field, 'smaller makes iOS zoom').toBeGreaterThanOrEqual(16);
    await ui.send('run something');

    const sheet = ui.page.getByRole('dialog');
    await sheet.waitFor();
    await expect.poll(() => sheet.innerText()).toContain('a-long-word-');
    for (const button of await sheet.getByRole('button').all()) {
      const box = await button.boundingBox();
      expect(box?.height ?? 0, await button.innerText()).toBeGreaterThanOrEqual(44);
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(360);
    }
    expect(await tooWide(ui.page)).toBeLessThanOrEqual(0);
    await ui.approval().tap();
    await ui.said('Ran it.').waitFor();
    await ui.idle();
    expect(await tooWide(ui.page), 'code scrolls inside its card').toBeLessThanOrEqual(0);
    const composer = await ui.composer().boundingBox();
    expect((composer?.y ?? 0) + (composer?.height ?? 0)).toBeLessThanOrEqual(740);

    await ui.page
      .getByRole('button', { name: /back/i })
      .or(ui.page.getByRole('link', { name: /back/i }))
      .first()
      .tap();
    await ui.newSessionButton().waitFor();
    expect(await tooWide(ui.page)).toBeLessThanOrEqual(0);
    expect(await server.read('out.txt')).toContain('a-long-word-');
  });
});
