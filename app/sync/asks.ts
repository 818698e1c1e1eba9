/** Questions for the server. What this device knows of the answer it keeps, and answers itself without a link; else it says so. */
import type { Settings } from '#shared/protocol/requests.ts';
import { ROUTES } from '#shared/protocol/routes.ts';
import type { ModelInfo, TurnMark } from '#shared/protocol/summaries.ts';
import type { Asked, Commands, FolderView, TurnPage } from './commands.ts';
import type { Engine } from './engine.ts';
import type { Answer } from './http.ts';
import { askOrRemember } from './remembered.ts';

const TURNS_PER_PAGE = 100;

/** An answer as a component takes it; `read` picks what was asked for. */
export function asked<T>(answer: Answer, read: (value: unknown) => T): Asked<T> {
  if (answer.kind === 'ok') return { ok: true, value: read(answer.value) };
  if (answer.kind === 'trouble') return { ok: false, reason: 'offline', message: 'The server does not answer.' };
  const signedOut = answer.code === 'signed-out' || answer.code === 'device-revoked';
  return { ok: false, reason: signedOut ? 'signed-out' : 'refused', message: answer.message };
}

export function asksOf(
  engine: Engine,
): Pick<Commands, 'folders' | 'models' | 'serverSettings' | 'changeServerSettings' | 'turns' | 'blob'> {
  const get = (path: string): Promise<Answer> => engine.http.ask('GET', path);
  return {
    async folders(path: string | null): Promise<Asked<FolderView>> {
      const query = path === null ? '' : `?path=${encodeURIComponent(path)}`;
      const { answer, isOld } = await askOrRemember(engine, ROUTES.folders() + query);
      return asked(answer, (value) => (isOld ? { ...(value as FolderView), remembered: true } : (value as FolderView)));
    },
    async models(): Promise<Asked<ModelInfo[]>> {
      return asked((await askOrRemember(engine, ROUTES.models())).answer, (value) => (value as { models: ModelInfo[] }).models);
    },
    async serverSettings(): Promise<Asked<Settings>> {
      return asked(await get(ROUTES.settings()), (value) => value as Settings);
    },
    async changeServerSettings(patch): Promise<Asked<Settings>> {
      return asked(await engine.http.ask('PATCH', ROUTES.settings(), patch), (value) => value as Settings);
    },
    turns: (sessionId, before) => turns(engine, sessionId, before),
    blob: (sha256) => blob(engine, sha256),
  };
}

async function turns(engine: Engine, sessionId: string, before: number | null): Promise<Asked<TurnPage>> {
  const { mirror } = engine.parts;
  const isHeldHere = engine.rows().some((row) => row.command.kind === 'create' && row.sessionId === sessionId);
  if (isHeldHere) return { ok: true, value: { turns: [], earlier: false, missing: false } };
  const here = engine.isUp() ? null : await mirror.turns(sessionId, before, TURNS_PER_PAGE);
  if (here !== null && !here.missing) return { ok: true, value: here };
  const { guard, cursor } = await mirror.turnsReach(sessionId);
  const query = before === null ? '' : `&before=${before}`;
  const answer = await engine.http.ask('GET', `${ROUTES.turns(sessionId)}?limit=${TURNS_PER_PAGE}${query}`);
  if (answer.kind === 'trouble') return { ok: true, value: here ?? (await mirror.turns(sessionId, before, TURNS_PER_PAGE)) };
  if (answer.kind === 'ok') {
    const { turns: found } = answer.value as { turns: TurnMark[] };
    const from = found.length < TURNS_PER_PAGE ? 1 : found[0]!.seq;
    await kept(engine, 'asks.turns', () => mirror.putTurns(guard, sessionId, found, { from, to: (before ?? cursor + 1) - 1 }));
  }
  return asked(answer, (value) => {
    const { turns: found } = value as { turns: TurnMark[] };
    return { turns: found, earlier: found.length === TURNS_PER_PAGE, missing: false };
  });
}

async function blob(engine: Engine, sha256: string): Promise<Asked<unknown>> {
  const { mirror } = engine.parts;
  const here = await mirror.blob(sha256);
  if (here !== undefined) return { ok: true, value: here };
  const sessionId = engine.transcript()?.sessionId ?? null;
  const guard = sessionId === null ? null : await mirror.guard(sessionId);
  const answer = await engine.http.ask('GET', ROUTES.blob(sha256));
  if (answer.kind === 'ok' && sessionId !== null && guard !== null) {
    await kept(engine, 'asks.blob', () => mirror.putBlob(guard, sessionId, sha256, answer.value, 'go'));
  }
  return asked(answer, (value) => value);
}

/** Keeping an answer is a favour to later: when it fails, the answer is as good. */
async function kept(engine: Engine, event: string, keep: () => Promise<unknown>): Promise<void> {
  await keep().catch((error: unknown) => engine.parts.report(event, { error }));
}
