/** The storage of a real browser, between windows: one frozen in a transaction, one that is newer, drafts, and a sign-out. */
import { describe, expect, it } from 'vitest';
import { useStage } from './harness/stage.ts';
import type { Ui } from './harness/ui.ts';

const stage = useStage();
/** Driven, every page believes that it has the focus: so it is taken from the composer, as another window would. */
const away = (ui: Ui): Promise<void> => ui.composer().blur();

/** A window with a session that has had its answer; that its storage is taken away is part of what follows. */
async function answered() {
  const server = await stage.server();
  const device = await stage.device();
  device.allow(/own\.lost|mirror\.lost|favicon/);
  const first = await device.signIn(server);
  await first.startSession();
  await first.send('hello');
  await first.idle();
  return { device, first, address: await first.address() };
}

describe('two windows of one device', () => {
  it('show one draft: typed in one it stands in the other, and goes there when it is sent', async () => {
    const server = await stage.server();
    const device = await stage.device();
    const first = await device.signIn(server);
    await first.startSession();
    await first.send('hello');
    await first.idle();
    const second = await device.open(await first.address());
    await second.composer().waitFor();
    await away(second);
    await first.page.bringToFront();
    await first.composer().pressSequentially('typed once');
    await expect.poll(() => second.composer().inputValue()).toBe('typed once');
    await first.send('typed once');
    await expect.poll(() => second.composer().inputValue()).toBe('');
    await second.said('typed once').waitFor();
    await away(first);
    await second.composer().pressSequentially('mine');
    await expect.poll(() => first.composer().inputValue()).toBe('mine');
  });

  it('a window frozen in a transaction holds up nobody: the prompt of the other is accepted', async () => {
    const { device, first, address } = await answered();
    const holder = await device.context.newPage();
    await holder.goto(new URL('/manifest.webmanifest', address).href);
    await holder.evaluate(async () => {
      const request = indexedDB.open('cairn-own');
      await new Promise((resolve) => request.addEventListener('success', resolve));
      const store = request.result.transaction(['outbox', 'drafts', 'facts'], 'readwrite').objectStore('facts');
      const keep = (): void => store.get('x').addEventListener('success', keep);
      keep();
    });
    await first.page.bringToFront();
    await first.composer().fill('past the holder');
    const began = Date.now();
    await first.composer().press('Enter');
    await expect.poll(() => first.composer().inputValue(), { timeout: 8_000 }).toBe('');
    expect(Date.now() - began).toBeLessThan(8_000);
    await first.page.getByText('Another window holds this device’s storage.').waitFor();
    await first.said('past the holder').waitFor();
    await holder.close();
    await first.page.getByText('Saving is on again.').waitFor({ timeout: 15_000 });
    await first.page.reload();
    await first.said('past the holder').waitFor();
  });

  it('B20: a newer database is given way to, the words of the old window are kept, and it offers to reload', async () => {
    const { device, first, address } = await answered();
    const newer = await device.context.newPage();
    await newer.goto(new URL('/manifest.webmanifest', address).href);
    await first.composer().fill('not yet saved');
    // What was typed is with own work, or, where that was slow, in what this window keeps aside.
    const kept = await newer.evaluate(async () => {
      const answer = <T>(request: IDBRequest<T>): Promise<T> =>
        new Promise((resolve, reject) => {
          request.addEventListener('success', () => resolve(request.result));
          request.addEventListener('error', () => reject(request.error ?? new Error('failed')));
        });
      const db = await answer(indexedDB.open('cairn-own', 11));
      const all: unknown[] = await answer(db.transaction('drafts').objectStore('drafts').getAll());
      db.close();
      for (const { name } of await indexedDB.databases()) {
        if (name === undefined || !name.startsWith('cairn-aside-')) continue;
        const aside = await answer(indexedDB.open(name));
        all.push(...(await answer(aside.transaction('aside').objectStore('aside').getAll())));
        aside.close();
      }
      return JSON.stringify(all);
    });
    expect(kept).toContain('not yet saved');
    await first.page.getByRole('button', { name: 'Reload', exact: true }).waitFor();
    await first.composer().press('Enter');
    await first.said('not yet saved').waitFor();
  });
});
