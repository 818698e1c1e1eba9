/** The same code against a model of the user's own: key and base URL, through the real SDK, held against the API's rules. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useModel, useStage } from './harness/stage.ts';

const stage = useStage();

describe('a model of one’s own', () => {
  it('thinking, text and tools stream in; the approved file is on disk; no rule of the API is broken', async () => {
    const model = await useModel(stage, async (request, reply) => {
      if (request.prompt.includes('again')) return reply.text('Nothing more to do.');
      if (request.round === 0) {
        await reply.thinking('The folder first, then a note.', { wait: 10 });
        await reply.text('I will look around.', { wait: 10 });
        return reply.tool('list', {});
      }
      if (request.round === 1) return reply.tool('write', { path: 'notes.md', content: 'One folder, no files.\n' });
      return reply.text('The note is written.', { wait: 10 });
    });
    const server = await stage.server({ env: model.env });
    const device = await stage.device();
    const ui = await device.signIn(server);
    await ui.startSession();

    await ui.send('write a note');
    await ui.said('I will look around.').waitFor();
    await ui.approval().click();
    await ui.said('The note is written.').waitFor();
    await ui.idle();
    expect(await readFile(join(server.workspace, 'notes.md'), 'utf8')).toBe('One folder, no files.\n');

    await ui.send('again');
    await ui.said('Nothing more to do.').waitFor();
    expect(model.double.log.flatMap((entry) => entry.breaches)).toEqual([]);
    expect(model.double.log).toHaveLength(4);
  });

  it('I9, I10: a prompt sent while an answer streams joins it at the next boundary', async () => {
    const model = await useModel(stage, (request, reply) =>
      request.words.includes('also this') ? reply.text('Both are done.') : reply.text(words(80), { wait: 40 }),
    );
    const server = await stage.server({ env: model.env });
    const ui = await (await stage.device()).signIn(server);
    await ui.startSession();
    await ui.send('do this');
    await ui.said('word-5 ').waitFor();
    await ui.send('also this', 'Steer');
    await ui.said('Both are done.').waitFor();
    const text = await ui.text();
    expect(text.indexOf('word-79')).toBeLessThan(text.indexOf('also this'));
    expect(model.double.log).toHaveLength(2);
  });

  it('a provider that fails says so in the transcript, and the session takes the next prompt after Resume', async () => {
    const model = await useModel(stage, (request, reply) =>
      request.prompt.includes('second')
        ? reply.text('Here again.')
        : reply.fail(400, 'invalid_request_error', 'the model has no such size'),
    );
    const server = await stage.server({ env: model.env });
    const ui = await (await stage.device()).signIn(server);
    await ui.startSession();
    await ui.send('first');
    await ui.said(/the model has no such size/).waitFor();
    await ui.send('second');
    await ui.said('Here again.').waitFor();
    expect(model.double.log).toHaveLength(2);
  });
});

const words = (count: number): string => Array.from({ length: count }, (_, n) => `word-${n}`).join(' ');
