/** The longest task of a page's main thread while something runs, from the browser's own trace. */
import type { Page } from 'playwright-core';

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** Microseconds by the clock, and of them those that the thread ran. */
  dur?: number;
  tdur?: number;
  args?: { name?: string };
}
/** Milliseconds. `processor`: time the thread really ran, which others on the machine cannot lengthen; `clock`: wall time. */
export interface Tasks {
  processor: number;
  clock: number;
  amount: number;
}

export async function longestTask(page: Page, work: () => Promise<unknown>): Promise<Tasks> {
  const cdp = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  cdp.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  const complete = new Promise<void>((resolve) => cdp.once('Tracing.tracingComplete', () => resolve()));
  const traceConfig = { includedCategories: ['toplevel', '__metadata'], excludedCategories: ['*'] };
  await cdp.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig });
  try {
    await work();
  } finally {
    await cdp.send('Tracing.end');
    await complete;
  }
  return tasksOf(events);
}

/** Tasks of the busiest renderer's main thread: the window that is measured; what else is open does next to nothing. */
export function tasksOf(events: readonly TraceEvent[]): Tasks {
  const renderers = new Set(events.filter((event) => event.name === 'thread_name' && event.args?.name === 'CrRendererMain').map(threadOf));
  const byThread = new Map<string, TraceEvent[]>();
  for (const event of events) {
    const thread = threadOf(event);
    if (!event.name.endsWith('RunTask') || event.dur === undefined || !renderers.has(thread)) continue;
    const tasks = byThread.get(thread) ?? [];
    tasks.push(event);
    byThread.set(thread, tasks);
  }
  const busiest = [...byThread.values()].toSorted((a, b) => busyOf(b) - busyOf(a))[0];
  if (busiest === undefined) throw new Error('the trace holds no task of a page');
  return {
    processor: Math.max(...busiest.map(({ tdur, dur }) => tdur ?? dur!)) / 1_000,
    clock: Math.max(...busiest.map(({ dur }) => dur!)) / 1_000,
    amount: busiest.length,
  };
}
function threadOf({ pid, tid }: TraceEvent): string {
  return `${pid}.${tid}`;
}
function busyOf(tasks: readonly TraceEvent[]): number {
  return tasks.reduce((sum, { tdur, dur }) => sum + (tdur ?? dur ?? 0), 0);
}
