/** Real key events in the composer: input methods, Enter, Shift+Enter, and Enter pressed twice. */
import { describe, expect, it } from 'vitest';
import type { CDPSession } from 'playwright-core';
import type { Ui } from './harness/ui.ts';
import { asked, useModel, useStage } from './harness/stage.ts';

const stage = useStage();

async function ready(options: { touch?: boolean } = {}): Promise<{ ui: Ui; keys: CDPSession; prompts: () => string[] }> {
  const model = await useModel(stage, (_request, reply) => reply.text('ok'));
  const server = await stage.server({ env: model.env });
  const device = await stage.device(
    options.touch === true ? { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } } : {},
  );
  const ui = await device.signIn(server);
  await ui.startSession();
  await ui.composer().click();
  const keys = await device.context.newCDPSession(ui.page);
  return { ui, keys, prompts: () => model.double.log.map((entry) => asked(entry)) };
}
/** `code` 229 is what a browser reports for a key that an input method took. */
async function enter(keys: CDPSession, code: number): Promise<void> {
  const key = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: code };
  await keys.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...key });
  await keys.send('Input.dispatchKeyEvent', { type: 'keyUp', ...key });
}

describe('the composer', () => {
  it('B32: Enter that confirms a candidate never sends; a plain Enter sends once; Shift+Enter is a newline', async () => {
    const { ui, keys, prompts } = await ready();
    await keys.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 });
    await enter(keys, 13);
    expect(await ui.composer().inputValue(), 'while composing').toContain('にほん');
    await keys.send('Input.insertText', { text: '日本' });
    await enter(keys, 229);
    expect(await ui.composer().inputValue(), 'right after composing, as Safari reports it').toContain('日本');
    await ui.page.keyboard.press('Shift+Enter');
    await ui.page.keyboard.type('two');
    expect(await ui.composer().inputValue()).toMatch(/日本\n?.*two/s);
    expect(await ui.composer().inputValue()).toContain('\n');
    expect(prompts()).toEqual([]);
    await ui.page.keyboard.press('Enter');
    await ui.said('ok').waitFor();
    expect(await ui.composer().inputValue()).toBe('');
    expect(prompts()).toHaveLength(1);
  });

  it('I33: Enter twice on a new session: one session, one input', async () => {
    const { ui, prompts } = await ready();
    await ui.page.keyboard.type('only once');
    await Promise.all([ui.page.keyboard.press('Enter'), ui.page.keyboard.press('Enter')]);
    await ui.said('ok').waitFor();
    await ui.idle();
    expect(prompts()).toEqual(['only once']);
    expect(await ui.composer().inputValue()).toBe('');
  });

  it('R18: on a phone Enter makes a newline', async () => {
    const { ui, prompts } = await ready({ touch: true });
    await ui.page.keyboard.type('one');
    await ui.page.keyboard.press('Enter');
    await ui.page.keyboard.type('two');
    expect(await ui.composer().inputValue()).toBe('one\ntwo');
    expect(prompts()).toEqual([]);
  });
});
