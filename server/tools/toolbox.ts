/** The tools of this server, put together. */
import type { Random, Report, Timers } from '#shared/ports.ts';
import { CodedError } from '#shared/protocol/errors.ts';
import { childEnv } from './child-env.ts';
import { editTool } from './edit.ts';
import { ToolFault } from './fault.ts';
import { createKnownFiles } from './known.ts';
import { listTool } from './list.ts';
import type { Ground } from './paths.ts';
import type { Toolbox } from './port.ts';
import { createProcessGroups } from './process-group.ts';
import { readTool } from './read.ts';
import { runTool } from './run.ts';
import { searchTool } from './search.ts';
import { toTool, type ToolParts } from './tool.ts';
import { createWorkspaces } from './workspaces.ts';
import { writeTool } from './write.ts';

export interface ToolboxOptions {
  /** Folders that workspaces may lie in. */
  roots: readonly string[];
  /** Cairn's own: no file tool reaches it. */
  dataDir: string;
  /** The server's environment: commands get it without the secrets. */
  env: Readonly<Record<string, string | undefined>>;
  timers: Timers;
  random: Random;
  report: Report;
}

export function createToolbox(options: ToolboxOptions): Toolbox {
  const { timers, random, report } = options;
  const workspaces = createWorkspaces(options.roots, options.dataDir);
  const groups = createProcessGroups(timers, random, report);
  const parts: ToolParts = { timers, random, report, known: createKnownFiles(), start: groups.start, env: childEnv(options.env) };
  const groundOf = async (workspace: string): Promise<Ground> => {
    try {
      return await workspaces.ground(workspace);
    } catch (error) {
      throw error instanceof CodedError ? new ToolFault(`The workspace cannot be used any more: ${error.message}`) : error;
    }
  };
  const tools = [editTool(parts), listTool, readTool(parts), runTool(parts), searchTool(parts), writeTool(parts)]
    .map((body) => toTool(body, parts, groundOf))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return {
    tools,
    find: (name) => tools.find((tool) => tool.name === name),
    workspace: workspaces.workspace,
    folders: workspaces.folders,
    close: groups.close,
  };
}
