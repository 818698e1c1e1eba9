/**
 * Sealed records → the request's system, tools and messages (WIRE 1). Pure, and a function of sealed records alone, so
 * that request n is a byte prefix of request n+1 (law 11) and every call has its one result first in the next user
 * message (law 12).
 *
 * The cut is by seq: assistant rows of one (turnId, step) are one message; everything between two of those is one user
 * message: that step's results in call order, then the rest by seq. Same-role neighbours are always joined, since local
 * servers' chat templates do not do it.
 */
import { isBlank } from '#shared/text.ts';
import { isChunk, isEvent, type ChunkRecord, type EventDataByType, type LogRecord } from '#shared/protocol/records.ts';
import { callBlock, promptBlocks, rawBlock, resultBlock, textBlock, thinkingBlock } from './wire-blocks.ts';
import { isThinkingBlock, WireError, type Wire, type WireBlock, type WireMessage, type WireProfile } from './wire-types.ts';

export interface WireOptions {
  profile: WireProfile;
  /** Hash of the base URL in use: thinking signed elsewhere is left out. */
  source: string;
  /** False: no thinking at all, as in the repair of a request whose thinking was refused (WIRE 2). */
  thinking: boolean;
}

/** A block with the seq of the row it came from. */
interface Cell {
  block: WireBlock;
  seq: number;
}
/** One assistant message and the user rows that follow it. `key` null: what came before the first one. `lost`: results that can no longer be read. */
interface Segment {
  key: string | null;
  assistant: Cell[];
  results: Map<string, Cell>;
  rest: Cell[];
  lost: number;
}
interface Turn {
  role: WireMessage['role'];
  cells: Cell[];
}

/**
 * Builds the wire. `records`: the whole session, oldest first, data in full.
 * Throws `WireError` when there is no `wire-header`, or a call has no sealed result.
 */
export function buildWire(records: readonly LogRecord[], options: WireOptions): Wire {
  const rules = readRules(records);
  const segments: Segment[] = [newSegment(null)];
  let stepStart = null as { key: string; seq: number } | null;
  for (const record of records) {
    if (record.kind !== 'chunk' || rules.isCut(record.seq)) continue;
    const key = record.step === null ? null : `${record.turnId}.${record.step}`;
    if (key !== null && (record.role === 'assistant' || record.type === 'usage') && stepStart?.key !== key)
      stepStart = { key, seq: record.seq };
    if (record.role !== 'assistant') {
      addUserRow(segments.at(-1)!, record);
      continue;
    }
    if (key !== null && rules.refused.has(key)) continue;
    const block = assistantBlock(record, options, rules.thinkingFrom);
    if (block === null) continue;
    if (segments.at(-1)!.key !== (key ?? record.id)) segments.push(newSegment(key ?? record.id));
    segments.at(-1)!.assistant.push({ block, seq: record.seq });
  }
  const turns = withBeginning(withoutOpenServerCalls(join(segments.flatMap(turnsOf))));
  return {
    system: rules.header.system,
    tools: rules.header.tools,
    messages: turns.map((turn) => ({ role: turn.role, content: turn.cells.map((cell) => cell.block) })),
    previousEnd: stepStart === null ? null : endBefore(turns, stepStart.seq),
  };
}

interface Rules {
  header: EventDataByType['wire-header'];
  /** Thinking at or below this seq is left out: repaired, or signed under another head. */
  thinkingFrom: number;
  refused: ReadonlySet<string>;
  isCut(seq: number): boolean;
}

function readRules(records: readonly LogRecord[]): Rules {
  let header: EventDataByType['wire-header'] | null = null;
  let thinkingFrom = 0;
  const refused = new Set<string>();
  const cuts: EventDataByType['context-cut'][] = [];
  for (const record of records) {
    if (isEvent(record, 'wire-header')) {
      header = record.data;
      thinkingFrom = Math.max(thinkingFrom, record.seq);
    } else if (isEvent(record, 'thinking-off')) thinkingFrom = Math.max(thinkingFrom, record.data.to);
    else if (isEvent(record, 'context-cut')) cuts.push(record.data);
    else if (record.kind === 'chunk' && isChunk(record, 'error') && record.data.code === 'refusal')
      refused.add(`${record.turnId}.${record.step}`);
  }
  if (header === null) throw new WireError('the session has no wire-header');
  return { header, thinkingFrom, refused, isCut: (seq) => cuts.some((cut) => cut.from <= seq && seq <= cut.to) };
}

function newSegment(key: string | null): Segment {
  return { key, assistant: [], results: new Map(), rest: [], lost: 0 };
}

function assistantBlock(record: ChunkRecord, options: WireOptions, thinkingFrom: number): WireBlock | null {
  if (isChunk(record, 'text')) return textBlock(record.data, options.profile);
  if (isChunk(record, 'tool_call')) return callBlock(record.data, options.profile);
  const thinks = options.thinking && record.seq > thinkingFrom;
  if (isChunk(record, 'thinking')) return thinks ? thinkingBlock(record.data, options.source) : null;
  if (!isChunk(record, 'raw')) return null;
  const block = rawBlock(record.data, options.profile);
  return block !== null && isThinkingBlock(block) && !thinks ? null : block;
}

function addUserRow(segment: Segment, record: ChunkRecord): void {
  const { seq } = record;
  if (isChunk(record, 'tool_result')) {
    if (!segment.results.has(record.data.callId)) segment.results.set(record.data.callId, { block: resultBlock(record.data), seq });
  } else if (isChunk(record, 'prompt')) {
    for (const block of promptBlocks(record.data.content)) segment.rest.push({ block, seq });
  } else if (isChunk(record, 'system') && record.data.wire !== undefined && !isBlank(record.data.wire)) {
    segment.rest.push({ block: { type: 'text', text: record.data.wire.toWellFormed() }, seq });
  } else if (record.type === 'unreadable' && record.role === 'tool') segment.lost += 1;
}

/** Results whose call is not on the wire (a refused step, a cut, one that cannot be read) are left out with it; so is a call whose result cannot be read. */
function turnsOf(segment: Segment): Turn[] {
  const lost = (cell: Cell): boolean =>
    segment.lost > 0 && cell.block.type === 'tool_use' && !segment.results.has(String(cell.block['id']));
  const assistant = withoutFinalThinking(segment.assistant.filter((cell) => !lost(cell)));
  const results = assistant.flatMap((cell) => {
    if (cell.block.type !== 'tool_use') return [];
    const found = segment.results.get(String(cell.block['id']));
    if (found === undefined) throw new WireError(`the call ${String(cell.block['id'])} has no result`);
    return [found];
  });
  return [
    { role: 'assistant', cells: assistant },
    { role: 'user', cells: [...results, ...segment.rest] },
  ];
}

/** A message that ends in thinking is a 400; an interrupted one may, and one that only thought does. */
function withoutFinalThinking(cells: readonly Cell[]): Cell[] {
  const last = cells.findLastIndex((cell) => !isThinkingBlock(cell.block));
  return cells.slice(0, last + 1);
}

/** The first words must be the user's, also when they are what can no longer be read. */
function withBeginning(turns: Turn[]): Turn[] {
  if (turns[0]?.role !== 'assistant') return turns;
  const block = { type: 'text', text: '[What stood here first can no longer be read.]' };
  return [{ role: 'user', cells: [{ block, seq: 0 }] }, ...turns];
}

function join(turns: readonly Turn[]): Turn[] {
  const joined: Turn[] = [];
  for (const turn of turns) {
    if (turn.cells.length === 0) continue;
    const last = joined.at(-1);
    if (last?.role === turn.role) last.cells.push(...turn.cells);
    else joined.push({ role: turn.role, cells: [...turn.cells] });
  }
  return joined;
}

/** A call of the provider's own tools that no result followed is only right in the very last message, which it is to go on with. */
function withoutOpenServerCalls(turns: readonly Turn[]): Turn[] {
  const trimmed = turns.map((turn, at) => {
    if (turn.role !== 'assistant' || at === turns.length - 1) return turn;
    const answered = new Set(turn.cells.map((cell) => cell.block['tool_use_id']));
    const open = (cell: Cell): boolean => cell.block.type === 'server_tool_use' && !answered.has(cell.block['id']);
    return turn.cells.some(open) ? { ...turn, cells: withoutFinalThinking(turn.cells.filter((cell) => !open(cell))) } : turn;
  });
  return join(trimmed);
}

/** Where the newest answered request ended: the last user block that was sealed before that answer. */
function endBefore(turns: readonly Turn[], seq: number): Wire['previousEnd'] {
  for (let message = turns.length - 1; message >= 0; message--) {
    const { cells, role } = turns[message]!;
    if (role !== 'user') continue;
    const block = cells.findLastIndex((cell) => cell.seq < seq);
    if (block >= 0) return { message, block };
  }
  return null;
}
