/**
 * Questions that a choice is made from: folders, models. The last answers are kept on this device, so that a session can be made,
 * or another model chosen, in a train.
 */
import type { Engine } from './engine.ts';
import type { Answer } from './http.ts';

/** Answers kept; of the folders that were ever looked into, the last ones. */
const MOST = 40;
/** Milliseconds: with no link, nobody waits longer for what is known here. */
const WITHIN = 1_500;

export type Remembered = { answer: Answer; isOld: boolean };

/** Asks the server; where it is silent, what it said last. */
export async function askOrRemember(engine: Engine, path: string): Promise<Remembered> {
  const answer = engine.isUp() ? await engine.http.ask('GET', path) : await askSoon(engine, path);
  const { own, report } = engine.parts;
  if (answer.kind === 'ok') {
    // Keeping it is a favour to later: when that fails, the answer is as good.
    await keep(engine, path, answer.value).catch((error: unknown) => report('remembered.keep', { error }));
    return { answer, isOld: false };
  }
  const known = answer.kind === 'trouble' ? (await own.fact('answers'))?.find((kept) => kept.path === path) : undefined;
  if (known === undefined) return { answer, isOld: false };
  return { answer: { kind: 'ok', status: 200, value: known.value, epoch: '' }, isOld: true };
}

async function askSoon(engine: Engine, path: string): Promise<Answer> {
  const given = new AbortController();
  const cancel = engine.parts.timers.after(WITHIN, () => given.abort());
  const answer = await engine.http.ask('GET', path, undefined, given.signal);
  cancel();
  return answer;
}

async function keep(engine: Engine, path: string, value: unknown): Promise<void> {
  const { own } = engine.parts;
  const others = ((await own.fact('answers')) ?? []).filter((kept) => kept.path !== path);
  await own.setFact('answers', [...others, { path, value }].slice(-MOST));
}
