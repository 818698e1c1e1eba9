/** Every page of the app, looked at for what an engine lacks. */
import { Person } from './person.ts';
import { lacking } from './probe.ts';
import { keepPicture, ofThePage, type Stand } from './stand.ts';

/** A page, and words that are there once it is whole. */
const PAGES: readonly (readonly [path: string, words: RegExp])[] = [
  ['/', /new session/i],
  ['/new', /no folder chosen/i],
  ['/settings', /on this device/i],
];

export async function lookAround({ server, start, name }: Stand): Promise<{ lacks: string[]; complaints: string[] }> {
  const engine = await start();
  const person = new Person(engine);
  await person.signIn(server);
  for (const [path, words] of PAGES) {
    await engine.go(server.url + path);
    await person.told(words);
    await keepPicture(engine, `${name}${path.replace('/', '-')}`);
  }
  // A rejection that nobody caught is told a little later.
  await new Promise((done) => setTimeout(done, 300));
  return { lacks: await lacking(engine), complaints: ofThePage(engine.complaints) };
}
