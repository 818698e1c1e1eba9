/** The app as a person finds it: by roles, names and words, in one place, so that a renamed button is mended once. */
import type { Locator, Page } from 'playwright-core';

export class Ui {
  readonly page: Page;
  constructor(page: Page) {
    this.page = page;
  }

  /** The list of sessions is there, so the door has let this device in. */
  async signedIn(): Promise<void> {
    await this.newSession().first().waitFor();
  }
  newSession(): Locator {
    return this.page.getByRole('button', { name: /new session/i });
  }
  composer(): Locator {
    return this.page.getByRole('textbox', { name: /prompt|message/i });
  }
}
