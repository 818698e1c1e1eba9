// @vitest-environment jsdom
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { ChunkRecord } from '#shared/protocol/records.ts';
import type { Asked } from '../../app/sync/commands.ts';
import { Log, reference, streaming } from '../gallery/transcript.ts';
import { rowsOnPage, type RowsOnPage } from '../support/rows-on-page.ts';

let page: RowsOnPage | null = null;
afterEach(() => page?.end());
const hash = (n: number): string => n.toString(16).padStart(64, '0');
const refOf = (data: unknown, n: number, size?: number): unknown => {
  const made = reference(data);
  return { ...made, blob: { sha256: hash(n), size: size ?? made.blob.size } };
};
const words = 'A sentence of an answer that is long. '.repeat(120);
const LONG = Array.from({ length: 20 }, (_, at) => `## Part ${at}\n\n${words}\n\n`).join('');
const shown = (): string => page!.root.textContent ?? '';
const button = (name: string): HTMLButtonElement | undefined =>
  [...page!.root.querySelectorAll('button')].find((found) => found.textContent?.trim() === name);

describe('data that is kept by reference', () => {
  test('B28: a long answer does not change at its seal: it is here whole', async () => {
    page = rowsOnPage();
    const log = new Log().prompt('Go');
    const live = streaming(log, 0, 'message', [{ type: 'text-delta', i: 0, text: LONG }]);
    await page.show({ log, live });
    await vi.waitFor(() => expect(shown()).toContain('Part 19'));
    const before = page.root.querySelector('.md')!.innerHTML;
    const nodes = [...page.root.querySelectorAll('.md__block')];

    log.other('text', 'assistant', refOf({ text: LONG }, 1));
    page.store.wholes = new Map([[hash(1), { text: LONG }]]);
    await page.show({ log, live: null, running: true });
    expect(page.store.chunks.at(-1)).toMatchObject({ id: live.chunks[0]!.id, seq: 2 });
    expect(page.root.querySelector('.md')!.innerHTML).toBe(before);
    expect([...page.root.querySelectorAll('.md__block')].every((node, at) => node === nodes[at])).toBe(true);
    expect(button('Load the whole')).toBeUndefined();
  });

  test('text and prompts up to 1 MB load by themselves, once; what is larger, and what a tool answered, on request', async () => {
    const asked: string[] = [];
    const text = (n: number): unknown => ({ text: `The beginning. ${'x '.repeat(4000)} the end of ${n}` });
    page = rowsOnPage({
      blob: async (sha256): Promise<Asked<unknown>> => {
        asked.push(sha256);
        const n = Number.parseInt(sha256, 16);
        if (n === 1) return { ok: true, value: { content: [{ type: 'text', text: `${'p '.repeat(4000)} end of the prompt` }] } };
        if (n === 4) return { ok: true, value: { callId: 'call-5', content: [{ type: 'text', text: 'whole result' }], isError: false } };
        return { ok: true, value: text(n) };
      },
    });
    const log = new Log();
    log.prompt('Opens');
    log.other('prompt', 'user', refOf({ content: [{ type: 'text', text: 'p '.repeat(4000) }] }, 1));
    log.other('text', 'assistant', refOf(text(2), 2, 1024 * 1024));
    log.other('text', 'assistant', refOf(text(3), 3, 1024 * 1024 + 1));
    log.call('run', { command: 'big' }, null);
    log.other('tool_result', 'tool', refOf({ callId: 'call-5', content: [{ type: 'text', text: 'y'.repeat(9000) }] }, 4));
    await page.show({ log });
    await vi.waitFor(() => expect(shown()).toContain('the end of 2'));
    expect(asked.toSorted()).toEqual([hash(1), hash(2)]);
    expect(shown()).toContain('end of the prompt');
    expect(shown()).not.toContain('the end of 3');
    button('Load the whole')!.click();
    await vi.waitFor(() => expect(shown()).toContain('the end of 3'));
    expect(asked).toEqual([...asked.slice(0, 2), hash(3)]);
  });

  test('offline, a text that this device does not have says so, and can be asked for again', async () => {
    let offline = true;
    const whole = { text: `${'w '.repeat(4000)} whole` };
    page = rowsOnPage({
      blob: async () => (offline ? { ok: false, reason: 'offline', message: '' } : { ok: true, value: whole }),
    });
    const log = new Log().prompt('Go');
    log.other('text', 'assistant', refOf(whole, 7));
    await page.show({ log });
    expect(shown()).toContain('It is not on this device. Try again when the link is back.');
    expect(shown()).not.toContain('whole whole');
    offline = false;
    button('Load the whole')!.click();
    await vi.waitFor(() => expect(shown()).toMatch(/w\s+whole/));
    expect(shown()).not.toContain('not on this device');
  });

  test('what is on the page stays whole, however many more are fetched', async () => {
    const asked: string[] = [];
    page = rowsOnPage({
      blob: async (sha256) => {
        asked.push(sha256);
        return { ok: true, value: { text: `text ${Number.parseInt(sha256, 16)} is whole` } };
      },
    });
    const log = new Log().prompt('Go');
    for (let n = 1; n <= 20; n++) log.other('text', 'assistant', refOf({ text: `text ${n}${'.'.repeat(5000)}` }, n));
    await page.show({ log });
    await vi.waitFor(() => expect(shown()).toContain('text 20 is whole'));
    for (let n = 1; n <= 20; n++) expect(shown()).toContain(`text ${n} is whole`);
    expect(asked).toHaveLength(20);
    // Off the page all but a few are let go.
    const kept = log.chunks.slice(0, 1) as ChunkRecord[];
    page.store.chunks = kept;
    await page.settle();
    page.store.chunks = log.chunks;
    await vi.waitFor(() => expect(shown()).toContain('text 1 is whole'));
    expect(asked).toHaveLength(32);
  });
});
