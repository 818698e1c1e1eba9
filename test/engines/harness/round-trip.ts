/** The offline round trip, the same in every engine. */
import { expect } from 'vitest';
import { sessionIn, type CairnServer } from '../../e2e/harness/server.ts';
import { Person } from './person.ts';
import { keepPicture, ofThePage, type Stand } from './stand.ts';

/** What is asked, in order. */
export const PROMPTS = ['list the files here', 'first of two', 'second of two'];

interface Row {
  type: string;
  data: { content?: { text?: string }[]; text?: string };
}

/** The server's own log of a session. */
async function recordsOf(server: CairnServer, address: string): Promise<Row[]> {
  const { status, body } = await server.api<{ records: Row[] }>('GET', `/api/sessions/${sessionIn(address)}/log?after=0&limit=1000`);
  return status === 404 ? [] : body.records;
}
/** In order: one each time a prompt was run. */
async function promptsRun(server: CairnServer, address: string): Promise<string[]> {
  const prompts = (await recordsOf(server, address)).filter(({ type }) => type === 'prompt');
  return prompts.map(({ data }) => (data.content ?? []).map(({ text }) => text ?? '').join(''));
}
/** The first words of the settled answer; null: none yet. */
async function answerIn(server: CairnServer, address: string): Promise<string | null> {
  const records = await recordsOf(server, address);
  if (!records.some(({ type }) => type === 'turn-settled')) return null;
  const text = records.findLast(({ type }) => type === 'text')?.data.text ?? '';
  return /[A-Za-z][A-Za-z ]{11,}/.exec(text)?.[0].trim() ?? null;
}

export interface Trip {
  /** The prompts in the server's log, one each time one was run. */
  ran: string[];
  /** What the engine complained of that the app could have prevented. */
  complaints: string[];
}

/**
 * Signed in by the printed link, a session with an answer; then the server's process ends: the page is loaded again from the
 * worker, history is there, two prompts are held; the browser is closed and opened again where it keeps its storage; the server
 * comes back, and each prompt runs once.
 */
export async function roundTrip({ keeps, start, server, name }: Stand): Promise<Trip> {
  let engine = await start();
  let person = new Person(engine);
  const complaints: string[] = [];
  await person.signIn(server);
  expect(await engine.run(() => location.href), 'the token leaves the address').not.toContain(server.token);
  await person.startSession('places', 'garden');
  await person.send('list the files here');
  await person.said('list the files here');
  const address = await person.address();
  const answer = await person.until('answer', () => answerIn(server, address));
  await person.said(answer);
  await person.idle();
  await keepPicture(engine, `${name}-online`);

  await server.stop();
  // Where the engine can cut the page's network itself, that is tried first and mended: the server is away all the same.
  if (await engine.offline(true)) {
    await engine.reload();
    await person.said(answer);
    await engine.offline(false);
  }
  await engine.reload();
  await person.said(answer);
  await person.told(/offline/i);
  expect(await engine.run(() => navigator.serviceWorker.controller !== null), 'the page is the worker’s').toBe(true);
  for (const words of ['first of two', 'second of two']) await person.send(words, words === 'first of two' ? undefined : 'Queue');
  await bothAreHeld(person);
  await keepPicture(engine, `${name}-held`);

  if (keeps) {
    complaints.push(...engine.complaints);
    await engine.close();
    engine = await start();
    person = new Person(engine);
    await engine.go(address);
    await person.said(answer);
    await bothAreHeld(person);
    expect(await engine.run(() => performance.getEntriesByType('navigation').length)).toBe(1);
    await keepPicture(engine, `${name}-held-again`);
  }

  await server.start();
  await person.until(
    'end of both turns',
    async () => (await recordsOf(server, address)).filter(({ type }) => type === 'turn-settled').length === 3,
  );
  await person.idle();
  await person.until('end of what was held', async () => !/held on this device/i.test(await person.words()));
  const shown = await person.transcript();
  for (const words of ['first of two', 'second of two']) {
    expect(
      shown.split('\n').filter((line) => line.trim() === words),
      `"${words}" is shown once`,
    ).toHaveLength(1);
  }
  await keepPicture(engine, `${name}-after`);
  complaints.push(...engine.complaints);
  return { ran: await promptsRun(server, address), complaints: ofThePage(complaints) };
}

/** The steer stands inline, the queued one in the tray; each is marked as held, and says so. */
async function bothAreHeld(person: Person): Promise<void> {
  const held = (): Promise<string[]> =>
    person.engine.run(() =>
      [...document.querySelectorAll<HTMLElement>(':is([data-prompt], li)[data-stage="held"]')].map((item) =>
        item.innerText.replaceAll(/\s+/g, ' '),
      ),
    );
  await person.until('two held prompts', async () => (await held()).length === 2);
  const shown = await held();
  for (const words of ['first of two', 'second of two'])
    expect(
      shown.filter((text) => text.includes(words)),
      words,
    ).toHaveLength(1);
  await person.told(/held on this device/i);
}
