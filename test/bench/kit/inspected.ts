/** A server process looked into from outside: all its garbage collected, then what it holds. */
import { existsSync, readFileSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { WebSocket } from 'ws';
import type { CairnServer } from '../../e2e/harness/server.ts';

/** What Node runs, so that it can be looked into. */
export const INSPECTED = ['--inspect=127.0.0.1:0', 'server/start.mjs'];
const LOOKS = 8;
const BETWEEN = 250;

/** Bytes. */
export interface Held {
  readonly heap: number;
  readonly resident: number;
}

/** What is left after its garbage was collected; of memory that the system takes back late, the least of some looks. */
export async function heldBy(server: CairnServer): Promise<Held> {
  const address = /ws:\/\/\S+/.exec(server.output)?.[0];
  if (address === undefined) throw new Error('the server was not started to be looked into');
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
  const ask = (method: string): Promise<Record<string, unknown>> =>
    new Promise((resolve) => {
      answers.set(++asked, resolve);
      socket.send(JSON.stringify({ id: asked, method }));
    });
  try {
    let held: Held = { heap: Number.POSITIVE_INFINITY, resident: Number.POSITIVE_INFINITY };
    for (let look = 0; look < LOOKS; look++) {
      await ask('HeapProfiler.collectGarbage');
      await wait(BETWEEN);
      const heap = Number((await ask('Runtime.getHeapUsage'))['usedSize']);
      held = { heap: Math.min(held.heap, heap), resident: Math.min(held.resident, await residentOf(server.pid)) };
    }
    return held;
  } finally {
    socket.close();
  }
}

/** Bytes of a process that are in memory. */
async function residentOf(pid: number): Promise<number> {
  const status = `/proc/${pid}/status`;
  if (existsSync(status)) return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(status, 'utf8'))![1]) * 1024;
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout.trim()) * 1024;
}
