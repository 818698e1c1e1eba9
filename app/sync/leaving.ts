/** What leaves this device, and why: only a revocation and the user's own sign-out wipe, and only the latter takes unsent words. */
import type { Mirror } from '../mirror/port.ts';
import type { OutboxRow, Own } from '../own/port.ts';
import { NOTICES } from './notices.ts';
import type { Channel, Screen } from './ports.ts';

export interface LeavingParts {
  mirror: Mirror;
  own: Own;
  screen: Screen;
  channel: Channel | null;
  /** No socket from here on, until somebody signs in. */
  letGo(): void;
  /** What was read from the databases is forgotten and read anew. Answers the outbox as it is now. */
  wiped(): Promise<readonly OutboxRow[]>;
}

export class Leaving {
  readonly #parts: LeavingParts;
  constructor(parts: LeavingParts) {
    this.#parts = parts;
  }

  /** The server does not know this device any more. Only a revocation wipes, and it keeps unsent words. */
  async signedOut(revoked: boolean): Promise<void> {
    const { own, mirror, screen, channel, letGo, wiped } = this.#parts;
    letGo();
    if (!revoked) return;
    await mirror.wipe();
    await own.setFact('answers', []);
    const rows = await wiped();
    const unsent = rows.filter((row) => row.command.kind === 'input' && row.state !== 'acked').length;
    screen.notice(NOTICES.revoked(unsent));
    channel?.tell({ type: 'wiped' });
  }
  /** The user's own sign-out: everything on this device goes. */
  async forget(): Promise<void> {
    const { own, mirror, channel, letGo, wiped } = this.#parts;
    letGo();
    await own.wipe();
    await mirror.wipe();
    await wiped();
    channel?.tell({ type: 'wiped' });
  }
  /** Another tab of this device did one of the two. */
  async toldOfWipe(): Promise<void> {
    this.#parts.letGo();
    await this.#parts.wiped();
  }
}
