/** The page's probe, called from here. */
import type { Page } from 'playwright-core';
import type { Script } from './bundle.ts';
import type { BenchProbe } from '../page/probe.ts';

type Remote<T> = {
  [K in keyof T]: T[K] extends () => infer R
    ? () => Promise<Awaited<R>>
    : T[K] extends (argument: infer A) => infer R
      ? (argument: A) => Promise<Awaited<R>>
      : never;
};

/** What a script in the page offers, each taking one plain value or none. */
export function remote<T extends object>(page: Page, script: Script): Remote<T> {
  return new Proxy({} as Remote<T>, {
    get: (_target, method: string) => (argument?: unknown) =>
      page.evaluate(
        ([at, what, given]) => {
          const offered = window.bench?.[at] as Record<string, (argument: unknown) => unknown>;
          return offered[what]!(given);
        },
        [script, method, argument] as const,
      ),
  });
}
export function probing(page: Page): Remote<BenchProbe> {
  return remote<BenchProbe>(page, 'probe');
}
