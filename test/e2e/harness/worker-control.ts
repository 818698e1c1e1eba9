/** The service worker as the browser drives it: its sync event, and being stopped in the middle (CDP). */
import type { BrowserContext, CDPSession } from 'playwright-core';

interface Version {
  registrationId: string;
  runningStatus: string;
  status: string;
}

export class WorkerControl {
  readonly #session: CDPSession;
  readonly #origin: string;
  #registrationId: string | null = null;
  #running = false;

  private constructor(session: CDPSession, origin: string) {
    this.#session = session;
    this.#origin = origin;
    session.on('ServiceWorker.workerVersionUpdated', ({ versions }: { versions: Version[] }) => {
      const active = versions.find(({ status }) => status === 'activated');
      if (active === undefined) return;
      this.#registrationId = active.registrationId;
      this.#running = active.runningStatus === 'running' || active.runningStatus === 'starting';
    });
  }

  /** From a window that shows nothing of the app, so that every page of it may be closed. */
  static async of(context: BrowserContext, origin: string): Promise<WorkerControl> {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    const control = new WorkerControl(session, origin);
    await session.send('ServiceWorker.enable');
    return control;
  }
  /** As the browser does when it believes that there is a network. */
  async sync(): Promise<void> {
    const registrationId = await this.#registration();
    await this.#session.send('ServiceWorker.dispatchSyncEvent', {
      origin: this.#origin,
      registrationId,
      tag: 'cairn-outbox',
      lastChance: false,
    });
  }
  async stop(): Promise<void> {
    await this.#session.send('ServiceWorker.stopAllWorkers');
    while (this.#running) await new Promise((done) => setTimeout(done, 20));
  }
  async #registration(): Promise<string> {
    for (let n = 0; n < 250 && this.#registrationId === null; n++) await new Promise((done) => setTimeout(done, 20));
    if (this.#registrationId === null) throw new Error('no worker is registered here');
    return this.#registrationId;
  }
}
