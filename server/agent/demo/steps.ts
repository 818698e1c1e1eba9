/** Which call an intent needs next, given the calls already made for it. Pure; null: it needs no more. */
import { summaryFile } from './words.ts';
import type { DoneCall } from './history.ts';
import type { Intent } from './understand.ts';

export interface Call {
  name: string;
  input: Record<string, unknown>;
}
export interface Outcome {
  intent: Intent;
  calls: DoneCall[];
}

/** `before`: outcomes of the intents before this one, which a summary sums up. */
export function nextCall(intent: Intent, calls: readonly DoneCall[], before: readonly Outcome[]): Call | null {
  const last = calls.at(-1);
  switch (intent.kind) {
    case 'list':
      return last === undefined ? { name: 'list', input: intent.path === null ? {} : { path: intent.path } } : null;
    case 'read':
      return last === undefined ? { name: 'read', input: { path: intent.path } } : null;
    case 'search':
      return last === undefined
        ? { name: 'search', input: { pattern: intent.pattern, ...(intent.path === null ? {} : { path: intent.path }) } }
        : null;
    case 'run':
      return last === undefined ? { name: 'run', input: { command: intent.command } } : null;
    case 'edit': {
      // A file is read before it is edited: that is the tools' rule.
      if (last === undefined) return { name: 'read', input: { path: intent.path } };
      if (last.name !== 'read' || last.isError) return null;
      return { name: 'edit', input: { path: intent.path, old: intent.old, new: intent.new } };
    }
    case 'write': {
      const text = intent.content ?? summaryFile(before);
      const write = { name: 'write', input: { path: intent.path, content: text.endsWith('\n') ? text : `${text}\n` } };
      if (last === undefined) return write;
      // Refused, perhaps since the file is there and was never read: read it, then once more.
      if (calls.length === 1 && last.isError && !wasDenied(last)) return { name: 'read', input: { path: intent.path } };
      return calls.length === 2 && last.name === 'read' && !last.isError ? write : null;
    }
    default:
      return null;
  }
}

/** The user, or the session's mode, said no: what was to follow is not done either. */
export function wasDenied(call: DoneCall): boolean {
  return call.isError && /^(?:The user said no|Not run: the session is in plan mode)/.test(call.text);
}
