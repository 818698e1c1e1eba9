/**
 * What every tool has in common: arguments are read, the workspace's real path is found, output is bounded, and whatever
 * goes wrong becomes an error result. A tool is a `ToolBody`; `toTool` makes it what the runner sees.
 */
import type { Random, Report, Timers } from '#shared/ports.ts';
import { LIMITS } from '#shared/protocol/limits.ts';
import type { ToolEffect } from '#shared/protocol/records.ts';
import type { ToolSpec } from '#shared/tool-spec.ts';
import type { Args } from './args.ts';
import { faultOf, ToolFault } from './fault.ts';
import type { KnownFiles } from './known.ts';
import { BoundedOutput } from './output.ts';
import type { Ground } from './paths.ts';
import type { Tool, ToolContext, ToolEnd } from './port.ts';
import type { GroupStarter } from './process-group.ts';

/** What tools are handed, one set for all sessions. */
export interface ToolParts {
  timers: Timers;
  random: Random;
  report: Report;
  known: KnownFiles;
  start: GroupStarter;
  /** Environment of child processes, without Cairn's and the provider's secrets. */
  env: Readonly<Record<string, string>>;
}
export interface ToolCall {
  args: Args;
  ground: Ground;
  context: ToolContext;
  /** Adds to the `result` stream, bounded. */
  say(text: string): void;
}
export interface ToolBody extends ToolSpec {
  effect: ToolEffect;
  summary(args: Args): string;
  /** Throws `ToolFault` for what the model did wrong. */
  run(call: ToolCall): Promise<ToolEnd>;
}

/** Of `LIMITS.toolOutputBytes`: what is passed on at once, and the tail. The rest is room for the note between. */
const HEAD_BYTES = Math.floor(LIMITS.toolOutputBytes * 0.7);
const TAIL_BYTES = LIMITS.toolOutputBytes - HEAD_BYTES - 256;

export function toTool(body: ToolBody, parts: ToolParts, groundOf: (workspace: string) => Promise<Ground>): Tool {
  return {
    name: body.name,
    description: body.description,
    inputSchema: body.inputSchema,
    effect: body.effect,
    summary: (args) => body.summary(args),
    async run(args, context) {
      const result = new BoundedOutput({ left: HEAD_BYTES }, TAIL_BYTES, (text) => context.output('result', text));
      const say = (text: string): void => result.write(text);
      if (context.signal.aborted) {
        context.output('result', 'Not run: it was stopped first.');
        return { isError: true, outcome: 'not-run' };
      }
      let end: ToolEnd;
      try {
        end = await body.run({ args, ground: await groundOf(context.workspace), context, say });
      } catch (error) {
        end = failed(error, context.signal, say, body.name, parts.report);
      }
      return result.end() ? { ...end, truncated: true } : end;
    },
  };
}

function failed(error: unknown, signal: AbortSignal, say: (text: string) => void, name: string, report: Report): ToolEnd {
  if (signal.aborted && !(error instanceof ToolFault)) {
    say('Stopped before it was done; nothing was changed.');
    return { isError: true, outcome: 'interrupted' };
  }
  const fault = faultOf(error, 'the path');
  if (fault instanceof ToolFault) say(fault.message);
  else {
    report('tool.failed', { tool: name, error });
    say(`The ${name} tool failed: ${error instanceof Error ? error.message : String(error)}`);
  }
  return { isError: true };
}
