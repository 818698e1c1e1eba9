/**
 * Grouping: chunks → what a reader sees as one block. A view only: never stored, counted, evicted or sent to a model.
 *
 * The key is `(turnId, role, run)`, and a run is a step: prompts join a turn only between steps, so a step never
 * straddles one, and a step that a page edge cuts in two has the same key on both sides. Older pages therefore never
 * re-key what is below them, and a seal changes no key at all, since live and sealed chunks share their ids.
 */
import { isBlobRef, isShown } from '../protocol/records.ts';
import type { ViewChunk } from './view.ts';

export interface GroupItem {
  /** Id of the chunk, or of the result when its call is not here. */
  readonly key: string;
  readonly chunk: ViewChunk;
  /** Of a tool call: its result, once there is one. */
  readonly result: ViewChunk | null;
}
export interface Group {
  readonly key: string;
  readonly turnId: string | null;
  readonly role: 'user' | 'assistant' | 'system';
  readonly items: readonly GroupItem[];
}

/**
 * Groups in order of first appearance. `chunks`: sealed ones by seq, then live ones. `previous`: the last answer; a group
 * whose chunks are the same objects is handed back as the same object, so that nothing re-renders for it.
 */
export function group(chunks: readonly ViewChunk[], previous: readonly Group[] = []): Group[] {
  const groups = new Map<string, { turnId: string | null; role: Group['role']; items: GroupItem[] }>();
  const callAt = new Map<string, { items: GroupItem[]; at: number }>();
  for (const chunk of chunks) {
    if (!isShown(chunk)) continue;
    if (chunk.type === 'tool_result') {
      const callId = callIdOf(chunk);
      const call = callId === null ? undefined : callAt.get(`${chunk.turnId}/${callId}`);
      if (call !== undefined) {
        call.items[call.at] = { ...call.items[call.at]!, result: chunk };
        continue;
      }
    }
    const key = groupKeyOf(chunk);
    let found = groups.get(key);
    if (found === undefined) groups.set(key, (found = { turnId: chunk.turnId, role: roleOf(chunk), items: [] }));
    if (chunk.type === 'tool_call') {
      const callId = callIdOf(chunk);
      if (callId !== null) callAt.set(`${chunk.turnId}/${callId}`, { items: found.items, at: found.items.length });
    }
    found.items.push({ key: chunk.id, chunk, result: null });
  }
  const before = new Map(previous.map((entry) => [entry.key, entry]));
  return Array.from(groups, ([key, entry]) => {
    const old = before.get(key);
    return old !== undefined && sameItems(old.items, entry.items) ? old : { key, ...entry };
  });
}

function roleOf(chunk: ViewChunk): Group['role'] {
  return chunk.role === 'tool' ? 'assistant' : chunk.role;
}
/** The key of the group that this chunk is in. */
export function groupKeyOf(chunk: ViewChunk): string {
  return roleOf(chunk) === 'assistant' && chunk.turnId !== null ? `${chunk.turnId}.${chunk.step ?? 0}` : chunk.id;
}

/** The call a `tool_call` or `tool_result` chunk belongs to; null where its data is not here in full. */
export function callIdOf(chunk: ViewChunk): string | null {
  const data = chunk.data;
  if (typeof data !== 'object' || data === null) return null;
  if ('callId' in data && typeof data.callId === 'string') return data.callId;
  if (isBlobRef(data)) return /"callId":"([a-zA-Z0-9_-]+)"/.exec(data.preview)?.[1] ?? null;
  return null;
}

function sameItems(a: readonly GroupItem[], b: readonly GroupItem[]): boolean {
  return a.length === b.length && a.every((item, at) => item.chunk === b[at]!.chunk && item.result === b[at]!.result);
}
