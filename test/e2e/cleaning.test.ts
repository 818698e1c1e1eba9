/** B59 in the real page with its real policy: what a model, a tool, a file or a person wrote never runs or fetches anything. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { useModel, useStage } from './harness/stage.ts';

const stage = useStage();

const EVIL = [
  '<img src=x onerror="window.__owned=1">',
  '<img src="https://evil.test/pixel.png">',
  '<iframe srcdoc="<script>parent.__owned=1</script>"></iframe>',
  '<svg onload="window.__owned=1"><animate onbegin="window.__owned=1"/></svg>',
  '<script>window.__owned=1</script>',
  '<style>@import url(https://evil.test/x.css)</style>',
  '<a href="javascript:window.__owned=1" style="position:fixed;inset:0">over everything</a>',
  '<form action="https://evil.test"><button>sign in</button></form>',
  '[a link](javascript:window.__owned=1)',
  '[data](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)',
  '![picture](https://evil.test/pixel.png)',
  '```"><img src=x onerror=window.__owned=1>\ncode\n```',
  '```js onload=x\n</code></pre><img src=x onerror=window.__owned=1>\n```',
  '<details open ontoggle="window.__owned=1"><summary>x</summary></details>',
  '<math><mtext><table><mglyph><style><img src=x onerror=window.__owned=1>',
].join('\n\n');

/** What is in the page that must not be; empty when it is clean. */
function unclean(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    if ('__owned' in window) found.push('a script ran');
    const main = document.querySelector('#app');
    for (const element of main?.querySelectorAll('*') ?? []) {
      const name = element.tagName.toLowerCase();
      if (['iframe', 'script', 'object', 'embed', 'base', 'link', 'meta', 'style'].includes(name)) found.push(`<${name}>`);
      if (name === 'img' && !new URL((element as HTMLImageElement).src, location.href).pathname.endsWith('.svg'))
        found.push(element.outerHTML);
      if (name === 'form' && element.getAttribute('action') !== null) found.push(element.outerHTML);
      for (const attribute of element.attributes) {
        if (attribute.name.startsWith('on')) found.push(`${name} ${attribute.name}`);
        if (['href', 'src', 'xlink:href', 'action'].includes(attribute.name) && /^\s*(javascript|data|vbscript):/i.test(attribute.value)) {
          found.push(`${name} ${attribute.value}`);
        }
      }
    }
    return found;
  });
}

describe('B59: what was written never runs', () => {
  it('in text, thinking, tool output, a file name, a title and an error, at every delta, after the seal and offline', async () => {
    const model = await useModel(stage, async (request, reply) => {
      if (request.prompt.includes('fail now')) return reply.fail(400, 'invalid_request_error', EVIL);
      if (request.results.length > 0) return reply.text('The end.');
      await reply.thinking(EVIL, { deltas: 200, wait: 2 });
      await reply.text(EVIL, { deltas: 400, wait: 2 });
      await reply.tool('read', { path: 'evil.md' });
      return reply.tool('list', {});
    });
    const server = await stage.server({ env: model.env });
    await writeFile(join(server.workspace, 'evil.md'), EVIL);
    await writeFile(join(server.workspace, '<img src=x onerror="window.__owned=1">'), 'a file name');
    const device = await stage.device({ linkTrouble: true });
    const asked: string[] = [];
    device.context.on('request', (request) => asked.push(request.url()));
    const ui = await device.signIn(server);
    await ui.startSession();
    await ui.send(EVIL);
    await ui.stopButton().waitFor();
    await server.rename(await ui.address(), '<img src=x onerror="window.__owned=1"> [t](javascript:window.__owned=1)');
    const found = new Set<string>();
    const deadline = Date.now() + 60_000;
    while (!(await ui.said('The end.').isVisible()) && Date.now() < deadline) {
      for (const fault of await unclean(ui.page)) found.add(fault);
    }
    await ui.idle();
    await ui.openEverything();
    for (const fault of await unclean(ui.page)) found.add(fault);

    await ui.send('fail now');
    await ui.page
      .getByText(/invalid_request_error|onerror=/)
      .first()
      .waitFor();
    for (const fault of await unclean(ui.page)) found.add(fault);

    await server.stop();
    await ui.page.reload();
    await ui.said('The end.').waitFor();
    await ui.openEverything();
    for (const fault of await unclean(ui.page)) found.add(fault);

    expect([...found]).toEqual([]);
    expect(asked.filter((url) => !url.startsWith(server.url) || new URL(url).pathname === '/x' || url.includes('pixel'))).toEqual([]);
    expect(model.double.log[0]?.breaches).toEqual([]);
  });
});
