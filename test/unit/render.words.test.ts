// @vitest-environment jsdom
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
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
          for (let at = 0; at < blocks.settled; at++) kept[at] ??= words.root.childNodes[at]!;
        }
        words.show(text, false);
        expect(others).toEqual([]);
        expect(words.root.innerHTML).toBe(atOnce(text, false));
        for (const [at, node] of kept.entries()) expect(node).toBe(words.root.childNodes[at]);
        words.root.remove();
      }),
      { numRuns: 30 },
    );
  });

  test('B28: nodes within the open block stay too: a selection survives the deltas', () => {
    const words = made();
    let text = 'First.\n\nHere is **bold** and *more* of the words';
    words.show(text, true);
    const open = words.root.lastElementChild!;
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

  test('B28: open code is one text node that grows', () => {
    const words = made();
    let text = 'So:\n\n```ts\nconst';
    words.show(text, true);
    const node = words.root.querySelector('code')!.firstChild as Text;
    const added = vi.spyOn(node, 'appendData');
    words.show((text += ' a'), true);
    words.show((text += ' = 1;\n'), true);
    words.show((text += 'x\n'), true);
    expect(added.mock.calls).toEqual([[' a'], [' = 1;'], ['\nx']]);
    words.show((text += '```\n'), true);
    expect(words.root.querySelector('code')!.firstChild).toBe(node);
    expect(node.data).toBe('const a = 1;\nx');
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
    const first = words.root.childElementCount;
    expect(first).toBeGreaterThan(100);
    expect(first).toBeLessThan(500);
    const top = words.root.firstElementChild;
    frame();
    expect(words.root.childElementCount).toBeGreaterThan(first);
    frameAll();
    expect(words.root.firstElementChild).toBe(top);
    expect(words.root.childElementCount).toBe(918);
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
    const before = words.root.childElementCount;
    words.resume();
    frameAll();
    expect(words.root.childElementCount).toBeGreaterThan(before);
    expect(words.root.lastElementChild!.textContent).toBe('The end');
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
    expect(words.root.querySelector('code span')).toBeNull();
    words.show('```ts\nconst a = "x";\n```\n', true);
    expect(words.root.querySelector('code span')).toBeNull();
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
    expect(words.root.querySelector('code span')).toBeNull();
    document.getSelection()!.removeAllRanges();
    await settle();
    expect(words.root.querySelector('code .k')?.textContent).toBe('const');
  });
  test('of long code there is none', async () => {
    const words = made();
    words.show(`\`\`\`ts\n${'const c = 3;\n'.repeat(3000)}\`\`\`\n`, false);
    frameAll();
    await settle();
    expect(words.root.querySelector('code span')).toBeNull();
    expect(words.root.querySelector('code')!.textContent).toHaveLength(13 * 3000 - 1);
  });
});
