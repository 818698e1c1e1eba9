/** A process of its own that runs one command in `argv[2]` and would wait for it: for tests that kill it meanwhile. */
import { randomBytes } from 'node:crypto';
import { createToolbox } from '../../../server/tools/toolbox.ts';
import { realTimers } from './bench.ts';

const [workspace, command] = process.argv.slice(2) as [string, string];
const toolbox = createToolbox({
  roots: [workspace],
  dataDir: `${workspace}-data`,
  env: process.env,
  timers: realTimers,
  random: { unit: () => 0.5, bytes: (n) => randomBytes(n) },
  report: (event) => console.error(event),
});
const signal = new AbortController().signal;
await toolbox
  .find('run')!
  .run({ command }, { sessionId: 's', workspace, callId: 'c', signal, output: (_stream, text) => console.log(text) });
