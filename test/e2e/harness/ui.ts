/** The app as a person finds it: by roles, names and words, in one place, so that a renamed button is mended once. */
import { errors, type Locator, type Page } from 'playwright-core';

export class Ui {
  readonly page: Page;
  constructor(page: Page) {
    this.page = page;
  }

  // ---- the list and the door
  /** The list of sessions is there, so the door has let this device in. */
  async signedIn(): Promise<void> {
    await this.newSessionButton().waitFor();
  }
  newSessionButton(): Locator {
    return this.page
      .getByRole('button', { name: /new session/i })
      .filter({ visible: true })
      .first();
  }
  sessionRow(title: string | RegExp): Locator {
    return this.page.getByRole('link', { name: title }).first();
  }
  picker(): Locator {
    return this.page.getByRole('dialog', { name: 'Choose a folder' });
  }
  /** New session → the folder in the picker → its composer. The session itself is made by the first `send`. */
  async startSession(folder = 'garden', root = 'places'): Promise<void> {
    // The list gives way to the first minute once it is known to be empty, and its button goes with it.
    while (!(await this.picker().isVisible())) {
      await this.newSessionButton()
        .click({ timeout: 2_000 })
        .catch((error: unknown) => {
          if (!(error instanceof errors.TimeoutError)) throw error;
        });
      await this.picker()
        .waitFor({ timeout: 5_000 })
        .catch((error: unknown) => {
          if (!(error instanceof errors.TimeoutError)) throw error;
        });
    }
    const wanted = this.picker().getByRole('button', { name: folder }).first();
    const above = this.picker().getByRole('button', { name: root }).first();
    await wanted.or(above).first().waitFor();
    if (!(await wanted.isVisible())) await above.click();
    await wanted.click();
    await this.picker()
      .getByRole('button', { name: `Start in ${folder}` })
      .click();
    await this.composer().waitFor();
  }
  /** The address of the session that is shown, once it is made. */
  async address(): Promise<string> {
    await this.page.waitForURL(/\/s\/[0-9a-f-]{36}/);
    return this.page.url();
  }

  // ---- the composer
  composer(): Locator {
    return this.page.getByRole('textbox', { name: 'Prompt' });
  }
  sendButton(): Locator {
    return this.page.getByRole('button', { name: /^(Send|Hold on this device)$/ });
  }
  delivery(which: 'Steer' | 'Queue'): Locator {
    return this.page.getByRole('group', { name: 'Delivery' }).getByRole('button', { name: which });
  }
  stopButton(): Locator {
    return this.page.getByRole('button', { name: 'Stop the turn' });
  }
  /** Types and sends; the box is empty once the words are safe. */
  async send(words: string, delivery?: 'Steer' | 'Queue'): Promise<void> {
    await this.composer().fill(words);
    if (delivery !== undefined) await this.delivery(delivery).click();
    await this.sendButton().click();
    await this.page.waitForFunction(() => [...document.querySelectorAll('textarea')].every((box) => box.value === ''));
  }

  // ---- the transcript
  transcript(): Locator {
    return this.page.getByRole('region', { name: 'Transcript' });
  }
  /** Words anywhere in the transcript. */
  said(words: string | RegExp): Locator {
    return this.transcript().getByText(words).first();
  }
  /** Everything the transcript shows, as text. */
  text(): Promise<string> {
    return this.transcript().innerText();
  }
  /** Scrolls to the true start; rows out of view are not in the page. */
  async toStart(): Promise<void> {
    await this.transcript().hover();
    const start = this.said(/^The start\./);
    while (!(await start.isVisible())) {
      await this.page.mouse.wheel(0, -600);
      await this.page.waitForTimeout(50);
    }
  }
  /** Every tool card: its summary names the verb and the target. */
  card(words: string | RegExp): Locator {
    return this.transcript().locator('.card').filter({ hasText: words }).first();
  }
  /** Opens every card, so that bodies which mount when opened are in the page. */
  async openEverything(): Promise<void> {
    await this.page.evaluate(() => {
      for (const card of document.querySelectorAll('details')) card.open = true;
    });
    await this.page.waitForTimeout(200);
  }
  approval(): Locator {
    return this.page.getByRole('button', { name: /^(Run|Write|Allow|Edit) once/ }).first();
  }
  refusal(): Locator {
    return this.page.getByRole('button', { name: /^(Say no|Deny|No\b)/ }).first();
  }
  /** No turn runs any more. */
  async idle(): Promise<void> {
    await this.stopButton().waitFor({ state: 'hidden', timeout: 30_000 });
  }
  queue(): Locator {
    return this.page.getByRole('region', { name: 'Queue' });
  }

  /** Whatever the app says about the link, in its own words. */
  link(words: string | RegExp): Locator {
    return this.page.getByText(words).first();
  }
}
