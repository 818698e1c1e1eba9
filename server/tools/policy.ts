/** Which tool calls run, which ask the user first, and which are refused. Pure. */
import type { Mode, ToolEffect } from '#shared/protocol/records.ts';
import type { Tool } from './port.ts';

export type Policy = 'run' | 'ask' | 'refuse';

/** What a session's mode makes of an effect, before anything was remembered. */
const TABLE: Record<Mode, Record<ToolEffect, Policy>> = {
  ask: { read: 'run', write: 'ask', run: 'ask' },
  'accept-edits': { read: 'run', write: 'run', run: 'ask' },
  plan: { read: 'run', write: 'refuse', run: 'refuse' },
  auto: { read: 'run', write: 'run', run: 'run' },
};

/** `remembered`: the user allowed the like in this session. It spares the question, and lifts no refusal. */
export function decide(mode: Mode, effect: ToolEffect, remembered: boolean): Policy {
  const policy = TABLE[mode][effect];
  return policy === 'ask' && remembered ? 'run' : policy;
}

/**
 * What "always in this session" covers. A shell command: exactly the same text, since `git status` says nothing about
 * `git status; rm -rf .`. Any other tool: the tool, whose reach is the workspace in any case.
 */
export function rememberKey(tool: Pick<Tool, 'name' | 'effect'>, args: Record<string, unknown>): string {
  return tool.effect === 'run' ? `${tool.name}:${JSON.stringify(args['command'] ?? null)}` : tool.name;
}
