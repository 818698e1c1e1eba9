// @vitest-environment jsdom
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { emptyFold, fold } from '#shared/chunks/fold.ts';
import { Blocks } from '../../app/render/blocks.ts';
import { Words } from '../../app/render/words.ts';
import { documents } from '../support/markdown.ts';

let frames: FrameRequestCallback[] = [];
beforeEach(() => {
  frames = [];
  vi.stubGlobal('requestAnimationFrame', (callback: FrameRequestCallback) => frames.push(callback));
  vi.stubGlobal('cancelAnimationFrame', (handle: number) => (frames[handle - 1] = () => undefined));
});
afterEach(() => {
  vi.unstubAllGlobals();
  document.body.replaceChildren();
});
function frame(): void {
  const now = frames;
  frames = [];
  for (const callback of now) callback(0);
}
/** Until nothing more is to come. */
function frameAll(): number {
  let count = 0;
  for (; frames.length > 0; count++) frame();
  return count;
}
function made(): Words {
  const root = document.createElement('div');
  document.body.append(root);
  return new Words(root);
}
/** Top-level blocks, in order. */
function boxes(words: Words): Element[] {
  return [...words.root.querySelectorAll('.md__block')];
}
function atOnce(text: string, open: boolean): string {
  const words = made();
  words.show(text, open);
  frameAll();
  const html = words.root.innerHTML;
  words.root.remove();
  return html;
}

describe('a text on the page', () => {
  test('B28: at every batch the page is as if the text had come at once, and settled blocks keep their nodes to the end', () => {
    fc.assert(
      fc.property(documents, fc.array(fc.integer({ min: 1, max: 25 }), { minLength: 1, maxLength: 12 }), ({ text }, steps) => {
        const words = made();
        const blocks = new Blocks();
        const kept: (Node | undefined)[] = [];
        const others: string[] = [];
        let end = 0;
        for (let step = 0; end < text.length; step++) {
          end = Math.min(text.length, end + steps[step % steps.length]!);
          words.show(text.slice(0, end), true);
          if (step % 4 === 0 && words.root.innerHTML !== atOnce(text.slice(0, end), true)) others.push(text.slice(0, end));
          blocks.take(text.slice(0, end), false);
          for (let at = 0; at < blocks.settled; at++) kept[at] ??= boxes(words)[at]!;
        }
        words.show(text, false);
        expect(others).toEqual([]);
        expect(words.root.innerHTML).toBe(atOnce(text, false));
        for (const [at, node] of kept.entries()) expect(node).toBe(boxes(words)[at]);
        words.root.remove();
      }),
      { numRuns: 30 },
    );
  });

  test('B28: nodes within the open block stay too: a selection survives the deltas', () => {
    const words = made();
    let text = 'First.\n\nHere is **bold** and *more* of the words';
    words.show(text, true);
    const open = boxes(words)[1]!;
    const bold = open.querySelector('strong')!.firstChild!;
    const range = document.createRange();
    range.setStart(open.querySelector('p')!.firstChild!, 2);
    range.setEnd(bold, 3);
    document.getSelection()!.addRange(range);
    for (const delta of [' that', ' come', ',\nalso `here`', '.\n\nA new one', ' and\n\n- a\n- b']) words.show((text += delta), true);
    words.show(text, false);
    expect(document.getSelection()!.toString()).toBe('re is bol');
    expect(bold.isConnected).toBe(true);
  });

  test('B28: open code grows by what is new, in parts of some lines each', () => {
    const words = made();
    let text = 'So:\n\n```ts\nconst';
    words.show(text, true);
    const node = words.root.querySelector('code span')!.firstChild as Text;
    const added = vi.spyOn(node, 'appendData');
    words.show((text += ' a'), true);
    words.show((text += ' = 1;\n'), true);
    words.show((text += 'x\n'), true);
    expect(added.mock.calls).toEqual([[' a'], [' = 1;'], ['\nx']]);
    const more = Array.from({ length: 100 }, (_, at) => `line ${at}\n`).join('');
    words.show((text += more), true);
    words.show((text += '```\n'), true);
    expect(node.isConnected).toBe(true);
    expect(words.root.querySelectorAll('code > span')).toHaveLength(4);
    expect(words.root.querySelector('code')!.textContent).toBe(`const a = 1;\nx\n${more}`.slice(0, -1));
  });
  test('B28: how a live text grew is taken from its fold: it is not read again, and the page is as if it was', () => {
    const key = { turnId: 't', step: 0, attempt: 0, phase: 'message' } as const;
    const text = 'Words **here**.\r\n\r\n```ts\r\nconst a = 1;\r\n\r\nb\r\n```\r\n\r\n- a\r\n- b\r\n\r\nThe end.';
    for (const size of [1, 3, 7]) {
      const words = made();
      let live = emptyFold(key);
      for (let from = 0, shown = 0; from < text.length; from += size, shown++) {
        live = fold(live, [{ type: 'text-delta', turnId: 't', step: 0, i: 0, text: text.slice(from, from + size) }]);
        const data = live.chunks[0]!.data as { text: string };
        // Not every state is seen.
        if (shown % 3 !== 1) words.show(data.text, true, data);
      }
      const sealed = { text };
      words.show(text, false, sealed);
      expect(words.root.innerHTML).toBe(atOnce(text, false));
      // Another attempt under the same id.
      live = fold(live, [
        { type: 'step-start', turnId: 't', step: 0, attempt: 1, source: 's' },
        { type: 'text-delta', turnId: 't', step: 0, i: 0, text: 'Anew' },
      ]);
      const anew = live.chunks[0]!.data as { text: string };
      words.show(anew.text, true, anew);
      expect(words.root.innerHTML).toBe(atOnce('Anew', true));
    }
  });
  test('code in a list grows in its frame', () => {
    const words = made();
    let text = '- item\n\n  ```sh\n  ls';
    words.show(text, true);
    const figure = words.root.querySelector('li > figure');
    words.show((text += ' -l\n  pwd'), true);
    words.show((text += '\n  ```\n- next'), true);
    expect(words.root.querySelector('li figure')).toBe(figure);
    expect(words.root.querySelector('li code')!.textContent).toBe('ls -l\npwd');
  });

  test('B28: a long text is put up in slices from its top, and is in the end as at once', () => {
    const text = Array.from(
      { length: 900 },
      (_, at) => `Paragraph ${at} with **words**.\n\n${at % 50 === 0 ? '```ts\nconst a = 1;\n```\n\n' : ''}`,
    ).join('');
    const words = made();
    words.show(text, false);
    const first = boxes(words).length;
    expect(first).toBeGreaterThan(100);
    expect(first).toBeLessThan(500);
    const top = boxes(words)[0];
    frame();
    expect(boxes(words).length).toBeGreaterThan(first);
    frameAll();
    expect(boxes(words)[0]).toBe(top);
    expect(boxes(words)).toHaveLength(918);
    expect([...words.root.children].every((part) => part.childElementCount <= 32)).toBe(true);
    expect(words.root.textContent).toContain('Paragraph 899 with words.');
    // Reading it in slices is hardly more work than reading it once.
    expect(words.read).toBeLessThan(text.length * 1.2);
  });
  test('what comes while slices are put up is put up behind them; a text that left the page stops, and goes on when it is back', () => {
    const part = 'A paragraph of some words.\n\n'.repeat(1500);
    const words = made();
    words.show(part, true);
    words.show(`${part}The end`, true);
    expect(frames).toHaveLength(1);
    words.stop();
    frame();
    const before = boxes(words).length;
    words.resume();
    frameAll();
    expect(boxes(words).length).toBeGreaterThan(before);
    expect(boxes(words).at(-1)!.textContent).toBe('The end');
  });
  test('a shorter or another text takes the place of the one before', () => {
    const words = made();
    words.show('One.\n\n```ts\ntwo\n```\n\nThree.', true);
    words.show('- another', true);
    expect(words.root.innerHTML).toBe(atOnce('- another', true));
    words.show('', true);
    expect(words.root.childElementCount).toBe(0);
  });
});

describe('colour', () => {
  const idle: (() => void)[] = [];
  beforeEach(() => {
    idle.length = 0;
    vi.stubGlobal('requestIdleCallback', (callback: () => void) => idle.push(callback));
  });
  async function settle(): Promise<void> {
    for (let quiet = 0; quiet < 8;) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      const now = idle.splice(0);
      quiet = now.length === 0 ? quiet + 1 : 0;
      for (const callback of now) callback();
    }
  }
  test('comes when the code is closed and the page is idle, and changes no letter', async () => {
    const words = made();
    words.show('```ts\nconst a = "x";\n', true);
    await settle();
    expect(words.root.querySelector('code [class=k]')).toBeNull();
    words.show('```ts\nconst a = "x";\n```\n', true);
    expect(words.root.querySelector('code [class=k]')).toBeNull();
    await settle();
    expect(words.root.querySelector('code .k')?.textContent).toBe('const');
    expect(words.root.querySelector('code')!.textContent).toBe('const a = "x";');
  });
  test('waits while the reader has some of the code selected', async () => {
    const words = made();
    words.show('```ts\nconst b = 2;\n```\n', false);
    const range = document.createRange();
    range.selectNodeContents(words.root.querySelector('code')!);
    document.getSelection()!.removeAllRanges();
    document.getSelection()!.addRange(range);
    for (let turn = 0; turn < 20; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 2));
      for (const callback of idle.splice(0)) callback();
    }
    expect(words.root.querySelector('code [class=k]')).toBeNull();
    document.getSelection()!.removeAllRanges();
    await settle();
    expect(words.root.querySelector('code .k')?.textContent).toBe('const');
  });
  test('of long code there is none', async () => {
    const words = made();
    words.show(`\`\`\`ts\n${'const c = 3;\n'.repeat(3000)}\`\`\`\n`, false);
    frameAll();
    await settle();
    expect(words.root.querySelector('code [class=k]')).toBeNull();
    expect(words.root.querySelector('code')!.textContent).toHaveLength(13 * 3000 - 1);
  });
});
