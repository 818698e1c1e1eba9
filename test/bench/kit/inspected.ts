/** A server process looked into from outside: all its garbage collected, then what it holds. */
import { existsSync, readFileSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { WebSocket } from 'ws';

/** What Node runs, so that it can be looked into. */
export const INSPECTED = ['--inspect=127.0.0.1:0', 'server/start.mjs'];
const LOOKS = 8;
const BETWEEN = 250;

/** Bytes. */
export interface Held {
  readonly heap: number;
  readonly resident: number;
}

/** A process that was started with `--inspect`, and what it printed so far. */
export interface Inspected {
  readonly output: string;
  readonly pid: number;
}
type Ask = (method: string, params?: Record<string, unknown>) => Promise<Record<string, unknown>>;

async function lookInto<T>(process: Inspected, look: (ask: Ask) => Promise<T>): Promise<T> {
  const address = /ws:\/\/\S+/.exec(process.output)?.[0];
  if (address === undefined) throw new Error('the process was not started to be looked into');
  const socket = new WebSocket(address, { perMessageDeflate: false });
  const answers = new Map<number, (result: Record<string, unknown>) => void>();
  socket.on('message', (data) => {
    const { id, result } = JSON.parse(String(data)) as { id: number; result: Record<string, unknown> };
    answers.get(id)?.(result);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => resolve());
    socket.once('error', reject);
  });
  let asked = 0;
  const ask: Ask = (method, params = {}) =>
    new Promise((resolve) => {
      answers.set(++asked, resolve);
      socket.send(JSON.stringify({ id: asked, method, params }));
    });
  try {
    return await look(ask);
  } finally {
    socket.close();
  }
}

/** What is left after its garbage was collected; of memory that the system takes back late, the least of some looks. */
export function heldBy(process: Inspected): Promise<Held> {
  return lookInto(process, async (ask) => {
    let held: Held = { heap: Number.POSITIVE_INFINITY, resident: Number.POSITIVE_INFINITY };
    for (let look = 0; look < LOOKS; look++) {
      await ask('HeapProfiler.collectGarbage');
      await wait(BETWEEN);
      const heap = Number((await ask('Runtime.getHeapUsage'))['usedSize']);
      held = { heap: Math.min(held.heap, heap), resident: Math.min(held.resident, await residentOf(process.pid)) };
    }
    return held;
  });
}
/** Milliseconds of processor time that it has used since it began. */
export function usedBy(process: Inspected): Promise<number> {
  return lookInto(process, async (ask) => {
    const expression = '(({ user, system }) => (user + system) / 1000)(process.cpuUsage())';
    const { result } = (await ask('Runtime.evaluate', { expression, returnByValue: true })) as { result: { value: number } };
    return result.value;
  });
}

/** Bytes of a process that are in memory. */
async function residentOf(pid: number): Promise<number> {
  const status = `/proc/${pid}/status`;
  if (existsSync(status)) return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(status, 'utf8'))![1]) * 1024;
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout.trim()) * 1024;
}
