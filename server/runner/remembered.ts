/** What the user allowed for the rest of a session, read out of its log as it grows, so that it outlives a restart. */
import { isChunk, isEvent, type LogRecord } from '#shared/protocol/records.ts';
import { rememberKey } from '../tools/policy.ts';
import type { Toolbox } from '../tools/port.ts';
import { parseArgs } from './calls.ts';

export class Remembered {
  #read = 0;
  /** Calls that have no result yet: only these can still be decided. */
  readonly #calls = new Map<string, { name: string; args: string }>();
  readonly #keys = new Set<string>();

  /** The keys so far. `records`: the same log each time, never shorter than before; only what is new is looked at. */
  keys(records: readonly LogRecord[], toolbox: Pick<Toolbox, 'find'>): ReadonlySet<string> {
    for (; this.#read < records.length; this.#read++) this.#look(records[this.#read]!, toolbox);
    return this.#keys;
  }

  #look(record: LogRecord, toolbox: Pick<Toolbox, 'find'>): void {
    if (record.kind === 'chunk') {
      if (isChunk(record, 'tool_call')) this.#calls.set(record.data.callId, record.data);
      else if (isChunk(record, 'tool_result')) this.#calls.delete(record.data.callId);
      return;
    }
    if (!isEvent(record, 'approval-decided') || record.data.decision !== 'allow' || record.data.remember !== true) return;
    const call = this.#calls.get(record.data.callId);
    const tool = call === undefined ? undefined : toolbox.find(call.name);
    const args = call === undefined ? undefined : parseArgs(call.args);
    if (tool !== undefined && args?.ok === true) this.#keys.add(rememberKey(tool, args.value));
  }
}
