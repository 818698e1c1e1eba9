// @vitest-environment jsdom
/** Marks nested without end are a stranger's words like any other: they are shown, and break nothing. */
import { expect, test } from 'vitest';
import { Words } from '../../app/render/words.ts';

const DEEP: Record<string, string> = {
  quotes: `${'>'.repeat(4000)} x`,
  'lists on a line': `${'- '.repeat(3000)}x`,
  'lists in lists': Array.from({ length: 300 }, (_, at) => `${' '.repeat(2 * at)}- x`).join('\n'),
  emphasis: `${'*_'.repeat(2000)}x${'_*'.repeat(2000)}`,
  'struck out': `${'~~a '.repeat(1000)}x${'~~'.repeat(1000)}`,
  brackets: `${'['.repeat(3000)}x${'](y)'.repeat(3000)}`,
  'quotes and lists': `${'> - '.repeat(2000)}x`,
};

test.each(Object.entries(DEEP))('%s: the words are there', (_, text) => {
  const root = document.createElement('div');
  document.body.append(root);
  new Words(root).show(text, false);
  expect(root.textContent).toContain('x');
  let deepest = 0;
  for (const element of root.querySelectorAll('*')) {
    let depth = 0;
    for (let at: Element | null = element; at !== null && at !== root; at = at.parentElement) depth++;
    deepest = Math.max(deepest, depth);
  }
  expect(deepest).toBeLessThan(150);
});
