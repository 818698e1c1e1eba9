/** Tools, as the runner sees them. A tool never throws for what a model did wrong: it answers an error result. */
import type { OutputStream } from '#shared/protocol/agent-events.ts';
import type { ToolEffect } from '#shared/protocol/records.ts';
import type { ToolSpec } from '#shared/tool-spec.ts';

export interface ToolContext {
  sessionId: string;
  /** The session's workspace folder; tools resolve its real path themselves. */
  workspace: string;
  callId: string;
  /** Aborted by Stop, time limit or shutdown: everything the tool started must be gone within 5 s. */
  signal: AbortSignal;
  /**
   * Everything that ends up in the result passes here, in order: `result` is what the model is shown, `stdout` and `stderr`
   * a shell's own streams. What was not said here is not in the sealed row.
   */
  output(stream: OutputStream, text: string): void;
}
export interface ToolEnd {
  isError: boolean;
  /** Shell only; null: killed. */
  exitCode?: number | null;
  truncated?: boolean;
  /** `interrupted` after an abort. */
  outcome?: 'interrupted' | 'not-run';
}
export interface Tool extends ToolSpec {
  effect: ToolEffect;
  /** One line for the approval card: the command, or the path. Never throws, whatever the arguments. */
  summary(args: Record<string, unknown>): string;
  run(args: Record<string, unknown>, context: ToolContext): Promise<ToolEnd>;
}
export interface Toolbox {
  /** Sorted by name: the order is part of the wire's prefix. */
  readonly tools: readonly Tool[];
  find(name: string): Tool | undefined;
  /** Real path of a workspace folder that may be used: exists, is a folder, lies in an allowed root and not in the data folder; else throws `bad-workspace`. */
  workspace(path: string): Promise<string>;
  /** Folders under the allowed roots, for a picker. `path` null: the roots themselves. Outside the roots: `forbidden-path`. */
  folders(path: string | null): Promise<FolderListing>;
  /** Ends whatever still runs. */
  close(): Promise<void>;
}
export interface FolderListing {
  /** Null: the list of roots. */
  path: string | null;
  parent: string | null;
  folders: { name: string; path: string }[];
}
