/** The real service worker: what it serves, what it leaves alone, and how a new one takes over. */
import { rm } from 'node:fs/promises';
import { SERVER_PREFIXES } from '#shared/protocol/routes.ts';
import { describe, expect, it } from 'vitest';
import { copyOfTheBuild } from './harness/build-copy.ts';
import { useModel, useStage } from './harness/stage.ts';

const stage = useStage();

describe('the worker', () => {
  it("B14: a navigation to a path of the server's reaches the server; a session's page is the shell, also offline", async () => {
    const server = await stage.server();
    const device = await stage.device({ linkTrouble: true });
    device.allow(/^Failed to load resource: the server responded/);
    const ui = await device.signIn(server);
    const page = await device.context.newPage();
    const rest: Record<string, string> = { '/api': '/files/x.html', '/auth': '/callback', '/ws': '', '/healthz': '', '/export': '' };
    for (const prefix of SERVER_PREFIXES) {
      const response = await page.goto(server.url + prefix + (rest[prefix] ?? ''));
      expect(response?.fromServiceWorker(), prefix).toBe(false);
      expect(response?.status(), prefix).toBe(404);
      expect(await page.locator('#app').count(), prefix).toBe(0);
    }
    const json = await page.goto(`${server.url}/api/sessions`);
    expect(json?.status()).toBe(200);
    expect(json?.headers()['content-type']).toContain('json');
    const [popup] = await Promise.all([ui.page.waitForEvent('popup'), ui.page.evaluate(() => void open('/api/health'))]);
    await popup.waitForLoadState();
    expect(await popup.evaluate(() => document.body.innerText)).toContain('"ok":true');

    await server.stop();
    const shell = await page.goto(`${server.url}/s/01890000-0000-7000-8000-000000000000`);
    expect(shell?.fromServiceWorker()).toBe(true);
    expect(await page.locator('#app').count()).toBe(1);
  });

  it('B59: the shell that the worker serves keeps its policy, with no inline script', async () => {
    const server = await stage.server();
    const device = await stage.device();
    const ui = await device.signIn(server);
    const response = await ui.page.reload();
    expect(response?.fromServiceWorker()).toBe(true);
    const policy = response?.headers()['content-security-policy'] ?? '';
    expect(policy).toMatch(/default-src 'self'|script-src 'self'/);
    expect(policy).not.toMatch(/unsafe-inline|unsafe-eval/);
    device.allow(/^policy: script-src/);
    device.allow(/Content Security Policy/);
    const ran = await ui.page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'window.__inline = true';
      document.body.append(script);
      return '__inline' in window;
    });
    expect(ran).toBe(false);
  });

  it('R16, B17: no answer of /api is fetched through it, or kept in its cache', async () => {
    const server = await stage.server();
    const device = await stage.device();
    const ui = await device.signIn(server);
    const through: string[] = [];
    ui.page.on('response', (response) => {
      if (new URL(response.url()).pathname.startsWith('/api') && response.fromServiceWorker()) through.push(response.url());
    });
    await ui.startSession();
    await ui.send('list the files here');
    await ui.idle();
    expect(through).toEqual([]);
    const cached = await ui.page.evaluate(async () => {
      const names = await caches.keys();
      const lists = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
      return lists.flat().map((request) => new URL(request.url).pathname);
    });
    expect(cached.length).toBeGreaterThan(0);
    expect(cached.filter((path) => /^\/(api|auth|ws|healthz|export)/.test(path))).toEqual([]);
  });

  it('B16: a new version waits for the user: no reload, lazy screens go on, the draft is there after the chosen reload', async () => {
    const model = await useModel(stage, (_request, reply) => reply.text('ok'));
    const build = await copyOfTheBuild();
    stage.afterwards(() => rm(build.folder, { recursive: true, force: true }));
    const server = await stage.server({ env: model.env, program: [build.main] });
    const device = await stage.device({ linkTrouble: true });
    const ui = await device.signIn(server);
    await ui.startSession();
    await ui.send('hello');
    await ui.said('ok').waitFor();
    const other = await device.open(await ui.address());
    await other.composer().waitFor();
    await ui.composer().fill('half a thought');
    await ui.page.evaluate(() => Object.assign(window, { __same: true }));
    await other.page.evaluate(() => Object.assign(window, { __same: true }));

    await server.stop();
    await build.publish();
    await server.start();
    await ui.page.evaluate(async () => {
      await (await navigator.serviceWorker.getRegistration())?.update();
    });
    const update = ui.page.getByRole('button', { name: /update|reload/i }).first();
    await update.waitFor();
    const same = (page: typeof ui.page) => page.evaluate(() => '__same' in window);
    expect(await same(ui.page), 'nothing reloads by itself').toBe(true);
    expect(await ui.composer().inputValue()).toBe('half a thought');
    // As text, since the test runner rewrites `import()` in what it compiles.
    await ui.page.evaluate(`Promise.all(${JSON.stringify(build.lazy)}.map((file) => import(file)))`);

    await Promise.all([ui.page.waitForEvent('load'), update.click()]);
    await ui.composer().waitFor();
    expect(await same(ui.page)).toBe(false);
    await expect.poll(() => ui.composer().inputValue()).toBe('half a thought');
    expect(await same(other.page), 'the other window is not reloaded under the user').toBe(true);
  });
});
