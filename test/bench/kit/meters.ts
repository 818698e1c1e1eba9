/** What a page costs: its heap, and its main thread's time. */
import type { CDPSession, Page } from 'playwright-core';
import { count, ms } from './figure.ts';
import { median } from './stats.ts';

/** Bytes that live on the JavaScript heap once all garbage is gone. */
export async function heapOf(cdp: CDPSession): Promise<number> {
  await cdp.send('HeapProfiler.enable');
  for (let round = 0; round < 3; round++) await cdp.send('HeapProfiler.collectGarbage');
  const { usedSize } = await cdp.send('Runtime.getHeapUsage');
  return usedSize;
}

/** Milliseconds of processor time that the page's main thread has used, by what for. Not wall time: others on the machine are not counted. */
export interface Busy {
  task: number;
  script: number;
  layout: number;
  style: number;
  /** Times that something was laid out, about one a frame: fewer than 60 a second mean that the machine was too busy to draw. */
  layouts: number;
}
export async function busyMeter(page: Page): Promise<() => Promise<Busy>> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await cdp.send('Performance.getMetrics');
    const of = (name: string): number => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
    return {
      task: of('TaskDuration') * 1_000,
      script: of('ScriptDuration') * 1_000,
      layout: of('LayoutDuration') * 1_000,
      style: of('RecalcStyleDuration') * 1_000,
      layouts: of('LayoutCount'),
    };
  };
}
export function since(before: Busy, after: Busy): Busy {
  return {
    task: after.task - before.task,
    script: after.script - before.script,
    layout: after.layout - before.layout,
    style: after.style - before.style,
    layouts: after.layouts - before.layouts,
  };
}
/** Medians of several, by what for. */
export function busyWords(all: readonly Busy[]): string {
  const of = (part: keyof Busy): number => median(all.map((one) => one[part]));
  return `${ms(of('task'))} (script ${ms(of('script'))}, layout ${ms(of('layout'))}, style ${ms(of('style'))}; ${count(of('layouts'))} layouts)`;
}
