/** The app as a person finds it in a window of an engine: by roles, names and words, pressed where it can be seen. */
import type { Engine } from './engine.ts';

const PATIENCE = 20_000;

export class Person {
  readonly engine: Engine;
  constructor(engine: Engine) {
    this.engine = engine;
  }

  /** Waits until `look` answers something. */
  async until<T>(what: string, look: () => Promise<T | null | false>): Promise<T> {
    const deadline = Date.now() + PATIENCE;
    for (;;) {
      const found = await look();
      if (found !== null && found !== false) return found;
      if (Date.now() > deadline) throw new Error(`no ${what}; the page says:\n${await this.words()}`);
      await new Promise((done) => setTimeout(done, 100));
    }
  }
  /** Everything that the page shows, as text. */
  words(): Promise<string> {
    return this.engine.run(() => document.querySelector('body')?.innerText ?? '');
  }
  /** The transcript, as text. */
  transcript(): Promise<string> {
    return this.engine.run(() => document.querySelector<HTMLElement>('[role="log"], [aria-label="Transcript"]')?.innerText ?? '');
  }
  said(words: string): Promise<boolean> {
    return this.until(`"${words}" in the transcript`, async () => (await this.transcript()).includes(words));
  }
  told(words: RegExp): Promise<boolean> {
    return this.until(`${words}`, async () => words.test(await this.words()));
  }

  /** The middle of a button, box or link that can be seen and is on top there; null: none. */
  async find(name: RegExp): Promise<{ x: number; y: number } | null> {
    return this.engine.run(
      (source, flags) => {
        const wanted = new RegExp(source, flags);
        for (const element of document.querySelectorAll<HTMLElement>('button, textarea, a, [role="button"]')) {
          const called = element.getAttribute('aria-label') ?? element.innerText.trim();
          if (!wanted.test(called) || !element.checkVisibility({ visibilityProperty: true })) continue;
          element.scrollIntoView({ block: 'nearest' });
          const { left, top, width, height } = element.getBoundingClientRect();
          const at = { x: Math.round(left + width / 2), y: Math.round(top + height / 2) };
          const onTop = document.elementFromPoint(at.x, at.y);
          if (onTop !== null && (element === onTop || element.contains(onTop))) return at;
        }
        return null;
      },
      name.source,
      name.flags,
    );
  }
  async press(name: RegExp): Promise<void> {
    const { x, y } = await this.until(`"${name.source}" to press`, () => this.find(name));
    await this.engine.press(x, y);
  }

  /** Opens the printed link, and waits until the worker has the page. */
  async signIn(server: { url: string; token: string }): Promise<void> {
    await this.engine.go(`${server.url}/#t=${server.token}`);
    await this.until('way to a new session', () => this.find(/new session/i));
    await this.engine.run(async () => (await navigator.serviceWorker.ready).scope);
    await this.until('worker that has the page', () => this.engine.run(() => navigator.serviceWorker.controller !== null));
  }
  /** New session → the folder → its composer. */
  async startSession(root: string, folder: string): Promise<void> {
    const start = new RegExp(`^Start in ${folder}$`);
    const inside = new RegExp(`^${folder}\\b`);
    // The first minute takes the list's place once it is known to be empty, and each of them has a button for it.
    await this.until('folder to choose', async () => {
      if ((await this.find(inside)) !== null) return true;
      const way = (await this.find(new RegExp(`^${root}\\b`))) ?? (await this.find(/new session/i));
      if (way !== null) await this.engine.press(way.x, way.y);
      await new Promise((done) => setTimeout(done, 300));
      return false;
    });
    await this.press(inside);
    await this.press(start);
    await this.until('composer', () => this.find(/^Prompt$/));
  }
  /** Types and sends; the box is empty once the words are safe. */
  async send(words: string, delivery?: 'Steer' | 'Queue'): Promise<void> {
    await this.press(/^Prompt$/);
    await this.engine.type(words);
    if (delivery !== undefined) await this.press(new RegExp(`^${delivery}$`));
    await this.press(/^(Send|Hold on this device)$/);
    await this.until('empty composer', () => this.engine.run(() => document.querySelector('textarea')?.value === ''));
  }
  /** No turn runs any more. */
  async idle(): Promise<void> {
    await this.until('end of the turn', async () => (await this.find(/^Stop the turn$/)) === null);
  }
  /** The address of the session that is shown. */
  address(): Promise<string> {
    return this.until('address of a session', async () => {
      const address = await this.engine.run(() => location.href);
      return /\/s\/[0-9a-f-]{36}/.test(address) && address;
    });
  }
}
