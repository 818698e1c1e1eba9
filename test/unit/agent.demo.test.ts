import { afterAll, describe, expect, test } from 'vitest';
import { createDemoAgent } from '../../server/agent/demo/agent.ts';
import { answer } from '../../server/agent/demo/answer.ts';
import { startDemoServer } from '../../server/agent/demo/server.ts';
import { understand } from '../../server/agent/demo/understand.ts';
import { story } from '../../server/agent/demo/words.ts';
import { TestSession, testEffects } from '../wire/session.ts';

const agent = createDemoAgent({ paceMs: 0 }, testEffects());
afterAll(() => agent.close());

/** A workspace in memory that keeps the tools' rule: a file that is there is read before it is written. */
function workspace(files: Record<string, string>) {
  const known = new Set<string>();
  const calls: string[] = [];
  return {
    files,
    calls,
    run(name: string, args: Record<string, unknown>): string | { text: string; isError: true } {
      const path = String(args['path'] ?? '');
      calls.push(`${name} ${path || String(args['command'] ?? args['pattern'] ?? '')}`.trim());
      if (name === 'list') return ['src/', ...Object.keys(files), '[left out by .gitignore: node_modules]', ''].join('\n');
      if (name === 'run') return 'hi\n';
      if (name === 'search')
        return Object.keys(files)
          .map((file) => `${file}:1:${files[file]}`)
          .join('\n');
      if (name === 'read') {
        if (files[path] === undefined) return { text: `${path} does not exist.`, isError: true };
        known.add(path);
        return files[path];
      }
      if (name === 'write') {
        if (files[path] !== undefined && !known.has(path)) return { text: 'Read it first.', isError: true };
        files[path] = String(args['content']);
        return 'Written.';
      }
      if (files[path] === undefined || !known.has(path)) return { text: 'Read it first.', isError: true };
      files[path] = files[path].replace(String(args['old']), String(args['new']));
      return 'Edited.';
    },
  };
}

async function ask(session: TestSession, prompt: string, files: Record<string, string> = { 'alpha-readme.txt': 'one\ntwo\n' }) {
  const space = workspace(files);
  session.prompt(prompt);
  session.note('context', '<context>Today is 2026-11-30. Mode "auto": everything may be done without asking.</context>');
  const from = session.said.length;
  await session.turn(agent, (name, args) => space.run(name, args));
  return { ...space, said: session.said.slice(from).trim() };
}

describe('the demo model through the real SDK', () => {
  test.each([
    'List the files in this folder, then write notes.md with a short summary.',
    'list the files here and write notes.md with a summary',
  ])('"%s" lists, then writes what was really listed, and says that it is a demo', async (prompt) => {
    const { calls, files, said } = await ask(TestSession.of(agent), prompt);
    expect(calls).toEqual(['list', 'write notes.md']);
    expect(files['notes.md']).toContain('`alpha-readme.txt`');
    expect(files['notes.md']).toContain('1 file and 1 folder');
    expect(files['notes.md']).not.toContain('left out');
    expect(said).toContain('demo model');
    expect(said).toContain('ANTHROPIC_API_KEY');
    expect(said).toContain('ANTHROPIC_BASE_URL');
    expect(said).toContain('I wrote `notes.md`');
  });

  test('it introduces itself once a session, and the second answer is about the second prompt', async () => {
    const session = TestSession.of(agent);
    await ask(session, 'hello');
    const second = await ask(session, 'read alpha-readme.txt');
    expect(second.said).not.toContain('demo model');
    expect(second.calls).toEqual(['read alpha-readme.txt']);
    expect(second.said).toContain('one\ntwo');
  });

  test('an existing file is read before it is edited, and before it is overwritten', async () => {
    const edited = await ask(TestSession.of(agent), 'replace two with "2" in alpha-readme.txt');
    expect(edited.calls).toEqual(['read alpha-readme.txt', 'edit alpha-readme.txt']);
    expect(edited.files['alpha-readme.txt']).toBe('one\n2\n');
    const written = await ask(TestSession.of(agent), 'write alpha-readme.txt with "new"');
    expect(written.calls).toEqual(['write alpha-readme.txt', 'read alpha-readme.txt', 'write alpha-readme.txt']);
    expect(written.files['alpha-readme.txt']).toBe('new\n');
  });

  test('search and run say what they found; a failure is told as one', async () => {
    const { calls, said } = await ask(TestSession.of(agent), 'search for one in src, then run `echo hi`, then read nothing.txt');
    expect(calls).toEqual(['search src', 'run echo hi', 'read nothing.txt']);
    expect(said).toContain('alpha-readme.txt:1:one');
    expect(said).toContain('`echo hi` ran and printed 1 line');
    expect(said).toContain('nothing.txt does not exist');
  });

  test('a denied call is left alone, with what was to follow it', async () => {
    const session = TestSession.of(agent);
    session.prompt('run `rm x`, then write done.md with "done"');
    const calls: string[] = [];
    await session.turn(agent, (name) => {
      calls.push(name);
      return { text: 'The user said no to this. Ask what they want instead.', isError: true, outcome: 'denied' as const };
    });
    expect(calls).toEqual(['run']);
    expect(session.said).toContain('You did not allow `run` of `rm x`');
    expect(session.said).toContain('Not done: write done.md');
  });

  test('a prompt that comes while tools run is done in the same turn, after what was asked first', async () => {
    const session = TestSession.of(agent);
    session.prompt('list the files');
    const calls: string[] = [];
    await session
      .turn(agent, (name) => {
        calls.push(name);
        return 'a.txt\n';
      })
      .catch(() => undefined);
    session.records.length = session.records.findIndex((record) => record.type === 'tool_result') + 1;
    session.steer('run `echo two`');
    await session.turn(agent, (name) => {
      calls.push(name);
      return 'two\n';
    });
    expect(calls).toEqual(['list', 'run']);
    expect(session.said).toContain('`echo two` ran');
  });

  test('after Stop the next prompt is a job of its own', async () => {
    const session = TestSession.of(agent);
    session.prompt('run `sleep 60`, then list the files');
    const [call] = session.seal(await session.attempt(agent));
    session.result(call!, 'Interrupted by the user. It may have run in part.', { isError: true, outcome: 'interrupted' });
    session.note('interrupted', '[The user stopped you here. What you wrote above was cut off.]');
    const next = await ask(session, 'read alpha-readme.txt');
    expect(next.calls).toEqual(['read alpha-readme.txt']);
  });

  test('a long answer that was cut off goes on exactly where it stopped', async () => {
    const session = TestSession.of(agent);
    session.prompt('count to 200');
    const whole = await session.attempt(agent);
    const stop = new AbortController();
    let seen = 0;
    const cut = await session.attempt(agent, {
      signal: stop.signal,
      onEvent: (event) => event.type === 'text-delta' && ++seen === 40 && stop.abort(),
    });
    session.seal(cut);
    const half = session.said;
    session.note('interrupted', '[Your reply was cut off here by a fault. Go on from exactly where it stopped.]');
    session.step++;
    session.seal(await session.attempt(agent));
    const textOf = (chunks: readonly { type: string; data: unknown }[]): string =>
      chunks.flatMap((chunk) => (chunk.type === 'text' ? [(chunk.data as { text: string }).text] : [])).join('');
    expect(half.length).toBeGreaterThan(20);
    expect(session.said.replace(`${half}\n`, half)).toBe(textOf(whole.live.chunks));
    expect(textOf(whole.live.chunks)).toContain('199 200');
  });

  test('it thinks in signed blocks, and the same request gets the same answer', async () => {
    const session = TestSession.of(agent);
    session.prompt('think about the weather');
    const [first, second] = [await session.attempt(agent), await session.attempt(agent)];
    expect(first.live).toEqual(second.live);
    expect(first.live.chunks[0]).toMatchObject({
      type: 'thinking',
      data: { source: 'cairn-demo', signature: expect.stringMatching(/^[\w+/]+=*$/) },
    });
    expect(first.answer?.usage).toMatchObject({ model: 'cairn-demo' });
  });

  test('what it does not understand it says, with what it can do', async () => {
    const { said, calls } = await ask(TestSession.of(agent), 'What is the meaning of life?');
    expect(calls).toEqual([]);
    expect(said).toContain('I do not understand "What is the meaning of life"');
    expect(said).toContain('list the files here');
  });

  test('it names its one model', async () => {
    expect(await agent.models()).toEqual([{ id: 'cairn-demo', name: 'Demo model', efforts: [] }]);
    expect(agent).toMatchObject({ demo: true, defaultModel: 'cairn-demo', source: 'cairn-demo' });
  });
});

test('the demo server answers nobody without its key', async () => {
  const server = await startDemoServer({ ...testEffects(), paceMs: 0 });
  const statuses = await Promise.all(
    ['', 'Bearer wrong', `Bearer ${server.key}`].map(
      async (authorization) => (await fetch(`${server.url}/v1/models`, { headers: { authorization } })).status,
    ),
  );
  await server.close();
  expect(statuses).toEqual([401, 401, 200]);
});

describe('understanding', () => {
  test.each([
    ['list the files', [{ kind: 'list', path: null }]],
    ['What files are here?', [{ kind: 'list', path: null }]],
    ['ls src/', [{ kind: 'list', path: 'src/' }]],
    ['please show me the file notes.md', [{ kind: 'read', path: 'notes.md' }]],
    ['search for "hello world"', [{ kind: 'search', pattern: 'hello world', path: null }]],
    ['find fix-me in src', [{ kind: 'search', pattern: 'fix-me', path: 'src' }]],
    ['Find every console.log', [{ kind: 'search', pattern: 'console.log', path: null }]],
    ['Tell me what you can do', [{ kind: 'greet' }]],
    ['create a file called a/b.txt with the text hello', [{ kind: 'write', path: 'a/b.txt', content: 'hello' }]],
    ['write "x and then y" to out.txt', [{ kind: 'write', path: 'out.txt', content: 'x and then y' }]],
    ['edit a.txt: replace one with two', [{ kind: 'edit', path: 'a.txt', old: 'one', new: 'two' }]],
    ['in a.txt, change `one` to `two`', [{ kind: 'edit', path: 'a.txt', old: 'one', new: 'two' }]],
    ['run `npm test && ls`', [{ kind: 'run', command: 'npm test && ls' }]],
    [
      'write a summary to notes.md',
      [
        { kind: 'list', path: null },
        { kind: 'write', path: 'notes.md', content: null },
      ],
    ],
    [
      'run ls -la; then read a.txt',
      [
        { kind: 'run', command: 'ls -la' },
        { kind: 'read', path: 'a.txt' },
      ],
    ],
    ['count to 500', [{ kind: 'count', to: 500 }]],
    ['write a long story of 400 words', [{ kind: 'story', words: 400 }]],
    ['make a plan for the clean-up', [{ kind: 'plan', about: 'the clean-up' }]],
    ['', [{ kind: 'unknown', words: '' }]],
  ])('%s', (prompt, intents) => {
    expect(understand(prompt)).toEqual(intents);
  });

  test('a story has the words that were asked for', () => {
    expect(story(400).split(/\s+/)).toHaveLength(400);
  });

  test('an answer always says something, whatever the messages are', () => {
    expect(answer([]).text.trim()).not.toBe('');
    expect(answer([{ role: 'user', content: [{ type: 'text', text: '[a note]' }] }]).text.trim()).not.toBe('');
  });
});
