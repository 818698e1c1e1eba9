/** Each mutant still changes what it says, once: a source that has moved on must take its mutant along. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { MUTANTS } from './mutants.ts';

const root = resolve(import.meta.dirname, '../../..');

test.each(MUTANTS)('$name: stands once in $file', ({ file, find, put }) => {
  const text = readFileSync(join(root, file), 'utf8');
  expect(text.split(find)).toHaveLength(2);
  expect(put).not.toBe(find);
});

test('there are ten at least, of names of their own', () => {
  expect(MUTANTS.length).toBeGreaterThanOrEqual(10);
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
});
