/** Questions that only the server can answer: offline they say so. */
import { ROUTES } from '#shared/protocol/routes.ts';
import type { ModelInfo, TurnMark } from '#shared/protocol/summaries.ts';
import type { Asked, FolderView, TurnPage } from './commands.ts';
import type { Engine } from './engine.ts';
import type { Answer } from './http.ts';

const TURNS_PER_PAGE = 100;

/** An answer as a component takes it; `read` picks what was asked for. */
export function asked<T>(answer: Answer, read: (value: unknown) => T): Asked<T> {
  if (answer.kind === 'ok') return { ok: true, value: read(answer.value) };
  if (answer.kind === 'trouble') return { ok: false, reason: 'offline', message: 'The server does not answer.' };
  const signedOut = answer.code === 'signed-out' || answer.code === 'device-revoked';
  return { ok: false, reason: signedOut ? 'signed-out' : 'refused', message: answer.message };
}

export function asksOf(engine: Engine) {
  const get = (path: string): Promise<Answer> => engine.http.ask('GET', path);
  return {
    async folders(path: string | null): Promise<Asked<FolderView>> {
      const query = path === null ? '' : `?path=${encodeURIComponent(path)}`;
      return asked(await get(ROUTES.folders() + query), (value) => value as FolderView);
    },
    async models(): Promise<Asked<ModelInfo[]>> {
      return asked(await get(ROUTES.models()), (value) => (value as { models: ModelInfo[] }).models);
    },
    async turns(sessionId: string, before: number | null): Promise<Asked<TurnPage>> {
      const query = before === null ? '' : `&before=${before}`;
      return asked(await get(`${ROUTES.turns(sessionId)}?limit=${TURNS_PER_PAGE}${query}`), (value) => {
        const { turns } = value as { turns: TurnMark[] };
        return { turns, earlier: turns.length === TURNS_PER_PAGE, missing: false };
      });
    },
    async blob(sha256: string): Promise<Asked<unknown>> {
      return asked(await get(ROUTES.blob(sha256)), (value) => value);
    },
  };
}
