/**
 * An empty database of a device that the server knows is a loss: the browser cleared it, or the user did (Safari: after seven
 * days). The cookie that lets this device in outlives the databases, and says so; a device that signs in for the first time has
 * noted its id by then.
 */
import { ROUTES } from '#shared/protocol/routes.ts';
import type { WatchedHttp } from './http.ts';
import type { SyncParts } from './ports.ts';
import { STORAGE_NOTICES } from './storage-notices.ts';

/**
 * The server has let this device in. If its own work was emptied, that is told, and the id by which the server knows it, which is
 * noted so that it is told once. Null: nothing was lost, or nobody can say.
 */
export async function noteLoss({ own, screen }: Pick<SyncParts, 'own' | 'screen'>, http: WatchedHttp): Promise<string | null> {
  if ((await own.fact('made')) === null || (await own.fact('device')) !== null) return null;
  const id = await ownDevice(http);
  if (id === null) return null;
  await own.setFact('device', id);
  screen.notice(STORAGE_NOTICES.emptied());
  return id;
}

/** Which device of the server's this browser is; it goes into every greeting. */
export class ThisDevice {
  readonly #parts: Pick<SyncParts, 'own' | 'screen'>;
  id: string | null = null;

  constructor(parts: Pick<SyncParts, 'own' | 'screen'>) {
    this.#parts = parts;
  }
  async load(): Promise<void> {
    this.id = await this.#parts.own.fact('device');
  }
  /** It signed in as this one. */
  async is(id: string): Promise<void> {
    this.id = id;
    await this.#parts.own.setFact('device', id);
  }
  /** The server has let it in. */
  async letIn(http: WatchedHttp): Promise<void> {
    this.id = (await noteLoss(this.#parts, http)) ?? this.id;
  }
}

/** What the server calls the device that asks; null: it could not be asked, or did not say. */
export async function ownDevice(http: WatchedHttp): Promise<string | null> {
  const answer = await http.ask('GET', ROUTES.devices());
  if (answer.kind !== 'ok') return null;
  const { devices } = answer.value as { devices: { id: string; current: boolean }[] };
  return devices.find(({ current }) => current)?.id ?? null;
}
