/** What every source file must and must not hold. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { places, root, sources } from './sources.ts';

const own = sources(['app', 'server', 'shared']);
const all = [...own, ...sources(['test'])];
const lines = (text: string): number => text.split('\n').length - 1;

describe('files', () => {
  it('are 400 lines at most', () => {
    const sized = [...all, ...sources(['app'], ['.css'])];
    expect(sized.filter((source) => lines(source.text) > 400).map((source) => `${source.path}: ${lines(source.text)}`)).toEqual([]);
  });
  it('switch no check off: no ts-ignore, no lint comment', () => {
    const off = /@ts-(ignore|nocheck|expect-error)|(eslint|oxlint)-disable/;
    const found = all.filter((source) => source.path !== 'test/shape/files.test.ts');
    expect(found.flatMap((source) => places({ ...source, code: source.text }, off))).toEqual([]);
  });
  it('leave nothing undone', () => {
    const undone = /\b(TODO|FIXME|XXX|HACK)\b/;
    const found = all.filter((source) => source.path !== 'test/shape/files.test.ts');
    expect(found.flatMap((source) => places({ ...source, code: source.text }, undone))).toEqual([]);
  });
  it('skip no test and single none out', () => {
    const off = /\b(it|test|describe)\.(skip|only|todo|fails|skipIf|runIf)\b/;
    expect(sources(['test']).flatMap((source) => places(source, off))).toEqual([]);
  });
});

describe('templates', () => {
  it('hold no static style attribute: the policy would drop it without a word', () => {
    const templates = [...sources(['app'], ['.vue']), ...sources(['app'], ['.html'])];
    expect(templates.flatMap((source) => places(source, /(^|\s)style\s*=\s*["']/))).toEqual([]);
  });
  it('B59: nothing is ever read as HTML: what was written becomes text and checked addresses, node by node', () => {
    const sinks =
      /\bv-html\b|\.innerHTML\b|\.outerHTML\b|insertAdjacentHTML|document\.write|\bDOMParser\b|createContextualFragment|setHTMLUnsafe|\bsrcdoc\b/;
    expect(sources(['app']).flatMap((source) => places(source, sinks))).toEqual([]);
  });
});

describe('laws', () => {
  it('have a test file each, 1 to 18', () => {
    const files = readdirSync(join(root, 'test/laws'));
    const numbers = Array.from({ length: 18 }, (_, index) => String(index + 1).padStart(2, '0'));
    expect(numbers.filter((n) => !files.some((file) => file.startsWith(`law-${n}-`) && file.endsWith('.test.ts')))).toEqual([]);
  });
});
