/** The storage of a real browser in trouble: none at all, deleted under a running window, and emptied between two visits. */
import { describe, expect, it } from 'vitest';
import { useStage } from './harness/stage.ts';

const stage = useStage();

describe('storage', () => {
  it('R11: without IndexedDB, or where touching it throws, the app works and says what it keeps', async () => {
    const server = await stage.server();
    const device = await stage.device();
    device.allow(/own\.lost|mirror\.lost|disk\.forbidden/);
    await device.context.addInitScript(() => {
      Object.defineProperty(window, 'indexedDB', {
        get() {
          throw new DOMException('forbidden', 'SecurityError');
        },
      });
    });
    const ui = await device.signIn(server);
    await ui.startSession();
    await ui.send('hello');
    await ui.idle();
    await ui.page.getByText('Memory only in this window.').first().waitFor();
    expect(await ui.text()).toContain('hello');
  });

  it('emptied between two visits, by the browser or its user: told, filled again; a first sign-in is no loss', async () => {
    const server = await stage.server();
    const device = await stage.device();
    const ui = await device.signIn(server);
    await ui.startSession();
    await ui.send('remember this');
    await ui.said('remember this').waitFor();
    await ui.said('I do not understand').waitFor();
    await ui.idle();
    expect(await ui.text()).not.toContain('emptied');
    const address = await ui.address();
    const cdp = await device.context.newCDPSession(ui.page);
    await ui.page.goto('about:blank');
    await cdp.send('Storage.clearDataForOrigin', { origin: new URL(address).origin, storageTypes: 'indexeddb' });
    await ui.page.goto(address);
    await ui.said('remember this').waitFor();
    await ui.page.getByText('The browser emptied this device’s copy.').waitFor();
    await ui.page.reload();
    await ui.said('remember this').waitFor();
    expect(await ui.text()).not.toContain('emptied');
  });

  it('deleted under a running window: told, and filled again, drafts and all', async () => {
    const server = await stage.server();
    const device = await stage.device();
    const ui = await device.signIn(server);
    await ui.startSession();
    await ui.send('first words');
    await ui.idle();
    await ui.composer().fill('half a thought');
    await expect.poll(() => stored(ui.page, 'drafts')).toEqual(['half a thought']);
    await ui.page.evaluate(async () => {
      for (const name of ['cairn-own', 'cairn-mirror']) {
        const request = indexedDB.deleteDatabase(name);
        await new Promise((resolve) => request.addEventListener('success', resolve));
      }
    });
    // Whatever is asked next finds it empty.
    await ui.send('second words');
    await ui.page.getByText('The copy on this device was deleted.').waitFor();
    await ui.idle();
    await ui.page.reload();
    await ui.said('first words').waitFor();
    await ui.said('second words').waitFor();
  });
});

/** Texts of a store of own work, as another reader of the database finds them. */
function stored(page: import('playwright-core').Page, name: string): Promise<string[]> {
  return page.evaluate(async (store) => {
    const request = indexedDB.open('cairn-own');
    await new Promise((resolve) => request.addEventListener('success', resolve));
    const all = request.result.transaction(store).objectStore(store).getAll();
    await new Promise((resolve) => all.addEventListener('success', resolve));
    request.result.close();
    return (all.result as { text: string }[]).map(({ text }) => text);
  }, name);
}
