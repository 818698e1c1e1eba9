/** Firefox, headless, over WebDriver BiDi. Its profile is a folder, so it can be closed and started again. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Bidi } from './bidi.ts';
import { handsBy, PHONE, runBy, type Engine, type Machine } from './engine.ts';
import { programAt, startProgram, type Program } from './programs.ts';

/** A profile that asks nothing, looks for nothing and tells nobody. */
const PREFERENCES: Record<string, string | number | boolean> = {
  'app.normandy.enabled': false,
  'app.update.disabledForTesting': true,
  'browser.aboutwelcome.enabled': false,
  'browser.newtabpage.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.page': 0,
  'browser.topsites.contile.enabled': false,
  'captivedetect.canonicalURL': '',
  'datareporting.policy.dataSubmissionEnabled': false,
  'extensions.getAddons.cache.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,#none',
  'toolkit.telemetry.enabled': false,
};

interface LogEntry {
  level: string;
  text: string | null;
}

export const firefoxAt = (): string => programAt('firefox-esr', 'firefox-esr');

export async function firefox(): Promise<Machine> {
  const path = firefoxAt();
  const profile = await mkdtemp(join(tmpdir(), 'cairn-firefox-'));
  const lines = Object.entries(PREFERENCES).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`);
  await writeFile(join(profile, 'user.js'), lines.join(''));
  let running: Program | null = null;

  return {
    keeps: true,
    async start(): Promise<Engine> {
      const env = { ...process.env, HOME: profile };
      const program = startProgram(path, ['--headless', '--no-remote', '--remote-debugging-port=0', '--profile', profile], { env });
      running = program;
      const [, address] = await program.printed(/WebDriver BiDi listening on (ws:\S+)/);
      const complaints: string[] = [];
      const bidi = await Bidi.open(`${address}/session`, (_method, entry) => {
        const { level, text } = entry as LogEntry;
        if (level === 'error') complaints.push(text ?? 'an error without words');
      });
      const { capabilities } = await bidi.call<{ capabilities: { browserVersion: string } }>('session.new', { capabilities: {} });
      await bidi.call('session.subscribe', { events: ['log.entryAdded'] });
      const { contexts } = await bidi.call<{ contexts: { context: string }[] }>('browsingContext.getTree');
      const context = contexts[0]?.context ?? '';
      await bidi.call('browsingContext.setViewport', { context, viewport: PHONE });
      const act = (actions: object[]): Promise<unknown> => bidi.call('input.performActions', { context, actions });
      return {
        version: `Firefox ${capabilities.browserVersion}`,
        complaints,
        async go(url) {
          await bidi.call('browsingContext.navigate', { context, url, wait: 'complete' });
        },
        async reload() {
          await bidi.call('browsingContext.reload', { context, wait: 'complete' });
        },
        run: runBy(async (expression) => {
          const told = await bidi.call<{ result?: { value?: unknown }; exceptionDetails?: { text: string } }>('script.evaluate', {
            expression,
            target: { context },
            awaitPromise: true,
          });
          if (told.exceptionDetails !== undefined) throw new Error(`in the page: ${told.exceptionDetails.text}`);
          return told.result?.value;
        }),
        ...handsBy(act),
        async picture() {
          const { data } = await bidi.call<{ data: string }>('browsingContext.captureScreenshot', { context });
          return Buffer.from(data, 'base64');
        },
        async offline(on) {
          await bidi.call('emulation.setNetworkConditions', { contexts: [context], networkConditions: on ? { type: 'offline' } : null });
          return true;
        },
        async close() {
          await bidi.call('browser.close');
          await program.ended;
          bidi.close();
        },
      };
    },
    async dispose() {
      await running?.end();
      await rm(profile, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
