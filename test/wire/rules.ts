/**
 * The API's 400 rules that Cairn's requests can break (WIRE 5, by number). `breaches` names every one that a request
 * breaks, so that a failing test reads like a list and not like a guessing game.
 */
import { createHmac } from 'node:crypto';
import { blocksOf, headLines, signedLine, type WireBlock, type WireBody, type WireMessage } from './lines.ts';
import type { DoubleModel } from './models.ts';

export interface RuleContext {
  profile: 'anthropic' | 'plain';
  models: readonly DoubleModel[];
  secret: string;
  /** Signatures this double gave out, each with the one before it in the same answer. */
  issued: ReadonlyMap<string, string | null>;
  /** The last answer stopped with `pause_turn`, so a request may end in an assistant message. */
  paused: boolean;
}

const TOP: Record<RuleContext['profile'], readonly string[]> = {
  anthropic: ['model', 'max_tokens', 'stream', 'system', 'tools', 'messages', 'thinking', 'output_config'],
  plain: ['model', 'max_tokens', 'stream', 'system', 'tools', 'messages'],
};
const FIELDS: Record<string, readonly string[]> = {
  text: ['type', 'text', 'citations', 'cache_control'],
  thinking: ['type', 'thinking', 'signature'],
  redacted_thinking: ['type', 'data'],
  tool_use: ['type', 'id', 'name', 'input', 'caller', 'cache_control'],
  tool_result: ['type', 'tool_use_id', 'content', 'is_error', 'cache_control'],
  server_tool_use: ['type', 'id', 'name', 'input', 'caller', 'cache_control'],
  web_search_tool_result: ['type', 'tool_use_id', 'content', 'caller', 'cache_control'],
};
const ROLE_TYPES: Record<string, readonly string[]> = {
  user: ['text', 'tool_result'],
  assistant: ['text', 'thinking', 'redacted_thinking', 'tool_use', 'server_tool_use', 'web_search_tool_result'],
};
const isThinking = (block: WireBlock): boolean => block.type === 'thinking' || block.type === 'redacted_thinking';

/** The signature of a thinking block: bound to every line that came before it and to its own words. */
export function sign(secret: string, linesBefore: readonly string[], thinking: string): string {
  const mac = createHmac('sha256', secret);
  for (const line of linesBefore) mac.update(line).update('\n');
  return `Sig+/${mac.update(thinking).digest('base64')}`;
}

/** What signatures after this request cover: its head, roles and non-blank blocks. */
export function coveredLines(body: WireBody): string[] {
  const lines = headLines(body);
  let role = '';
  for (const message of body.messages) {
    if (message.role !== role) lines.push((role = message.role));
    for (const block of blocksOf(message)) {
      const line = signedLine(block);
      if (line !== null) lines.push(line);
    }
  }
  return lines;
}

/** Every rule that the request breaks; empty when the API would take it. */
export function breaches(body: WireBody, context: RuleContext): string[] {
  const bad: string[] = [];
  top(body, context, bad);
  const messages = Array.isArray(body.messages) ? body.messages : [];
  if (messages.length === 0) return [...bad, '5 no messages'];
  if (messages[0]!.role !== 'user') bad.push('5 the first message is not user');
  const last = messages.at(-1)!;
  if (last.role === 'assistant' && !context.paused) bad.push('8 the last message is assistant (prefill)');
  messages.forEach((message, at) => {
    if (message.role !== 'user' && message.role !== 'assistant') bad.push(`6 messages.${at}: role ${message.role}`);
    if (at > 0 && messages[at - 1]!.role === message.role) bad.push(`7 messages.${at}: same role as its neighbour`);
    blocks(message, at, context, bad);
  });
  calls(messages, bad);
  signatures(body, context, bad);
  markers(body, context, bad);
  return bad;
}

function top(body: WireBody, context: RuleContext, bad: string[]): void {
  for (const key of Object.keys(body)) if (!TOP[context.profile].includes(key)) bad.push(`2 unknown field ${key}`);
  if (!wellFormed(body)) bad.push('3 lone surrogate');
  if (typeof body.model !== 'string' || body.model === '') bad.push('2 model is missing');
  const model = context.models.find((known) => known.id === body.model);
  const most = model?.max_tokens ?? 64_000;
  if (!Number.isInteger(body.max_tokens) || body.max_tokens! < 1 || body.max_tokens! > most) bad.push(`25 max_tokens ${body.max_tokens}`);
  if (body.stream !== true) bad.push('2 stream is not true');
  if (context.profile === 'plain' && body.system !== undefined && typeof body.system !== 'string') bad.push('33 system is not a string');
  if (Array.isArray(body.system)) {
    for (const block of body.system) if (block.type !== 'text' || String(block['text']).trim() === '') bad.push('10 system: blank text');
  }
  const names = new Set<unknown>();
  for (const tool of body.tools ?? []) {
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(tool['name']))) bad.push(`24 tool name ${String(tool['name'])}`);
    if (names.has(tool['name'])) bad.push(`24 tool ${String(tool['name'])} twice`);
    names.add(tool['name']);
    if ((tool['input_schema'] as { type?: unknown } | undefined)?.type !== 'object') bad.push(`24 tool ${String(tool['name'])}: schema`);
    for (const key of Object.keys(tool)) {
      if (!['name', 'description', 'input_schema', 'cache_control'].includes(key)) bad.push(`2 tool field ${key}`);
    }
  }
  if (body.thinking !== undefined) {
    const type = body.thinking.type;
    const types = model?.capabilities?.thinking.types as Record<string, { supported: boolean }> | undefined;
    if (types?.[type]?.supported !== true) bad.push(`26 thinking ${type}`);
    const budget = body.thinking.budget_tokens;
    if (type === 'enabled' && (budget === undefined || budget < 1024 || budget >= body.max_tokens!)) bad.push(`25 budget ${budget}`);
  }
  const effort = body.output_config?.effort;
  if (effort !== undefined) {
    const efforts = model?.capabilities?.effort as unknown as Record<string, { supported: boolean } | null> | undefined;
    if (efforts?.[effort]?.supported !== true) bad.push(`26 effort ${effort}`);
  }
}

function wellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) => key.isWellFormed() && wellFormed(inner));
}

function blocks(message: WireMessage, at: number, context: RuleContext, bad: string[]): void {
  const list = blocksOf(message);
  if (list.length === 0) bad.push(`9 messages.${at}: empty content`);
  list.forEach((block, n) => {
    const where = `messages.${at}.${n}`;
    const known = FIELDS[block.type];
    if (known === undefined) bad.push(`2 ${where}: type ${block.type}`);
    else {
      const allowed = context.profile === 'plain' ? known.filter((key) => !['citations', 'caller', 'cache_control'].includes(key)) : known;
      for (const key of Object.keys(block)) if (!allowed.includes(key)) bad.push(`2 ${where}: field ${key}`);
    }
    if (ROLE_TYPES[message.role]?.includes(block.type) === false) bad.push(`6 ${where}: ${block.type} from ${message.role}`);
    if (block.type === 'text' && (typeof block['text'] !== 'string' || block['text'].trim() === '')) bad.push(`10 ${where}: blank text`);
    if (block.type === 'text' && message.role === 'user' && 'citations' in block) bad.push(`23 ${where}: citations from user`);
    if (block.type === 'tool_result') result(block, where, bad);
  });
  const final = list.at(-1);
  if (message.role === 'assistant' && final !== undefined && isThinking(final)) bad.push(`18 messages.${at}: ends in thinking`);
}

function result(block: WireBlock, where: string, bad: string[]): void {
  const content = block['content'];
  if (typeof content === 'string') {
    if (content.trim() === '') bad.push(`10 ${where}: blank result`);
    return;
  }
  if (!Array.isArray(content) || content.length === 0) return void bad.push(`9 ${where}: empty result`);
  for (const part of content as WireBlock[]) {
    if (part.type === 'text' && String(part['text']).trim() === '') bad.push(`10 ${where}: blank text in a result`);
    if (block['is_error'] === true && part.type !== 'text') bad.push(`17 ${where}: ${part.type} in an error`);
  }
}

function calls(messages: readonly WireMessage[], bad: string[]): void {
  const seen = new Set<unknown>();
  const serverCalls = new Set<unknown>();
  messages.forEach((message, at) => {
    const list = blocksOf(message);
    for (const block of list) {
      if (block.type === 'server_tool_use') serverCalls.add(block['id']);
      else if (block.type.endsWith('_tool_result') && !serverCalls.has(block['tool_use_id']))
        bad.push(`30 messages.${at}: server result first`);
      if (block.type !== 'tool_use') continue;
      const id = block['id'];
      if (typeof id !== 'string' || !/^[a-zA-Z0-9_-]+$/.test(id)) bad.push(`15 id ${String(id)}`);
      if (seen.has(id)) bad.push(`15 id ${String(id)} twice`);
      seen.add(id);
      if (typeof block['input'] !== 'object' || block['input'] === null || Array.isArray(block['input']))
        bad.push(`16 input of ${String(id)}`);
      const next = messages[at + 1];
      const answers = next?.role === 'user' ? blocksOf(next).filter((b) => b.type === 'tool_result' && b['tool_use_id'] === id).length : 0;
      if (answers !== 1) bad.push(`12 ${String(id)} has ${answers} results in the next message`);
    }
    if (message.role !== 'user') return;
    const before = at > 0 ? blocksOf(messages[at - 1]!) : [];
    let other = false;
    for (const block of list) {
      if (block.type !== 'tool_result') {
        other = true;
        continue;
      }
      if (other) bad.push(`14 messages.${at}: a result behind other content`);
      if (!before.some((b) => b.type === 'tool_use' && b['id'] === block['tool_use_id']))
        bad.push(`13 result without its call ${String(block['tool_use_id'])}`);
    }
  });
}

function signatures(body: WireBody, context: RuleContext, bad: string[]): void {
  const lines = headLines(body);
  let role = '';
  body.messages.forEach((message, at) => {
    if (message.role !== role) lines.push((role = message.role));
    let before: string | null = null;
    blocksOf(message).forEach((block, n) => {
      if (block.type === 'thinking') {
        const signature = block['signature'];
        if (typeof signature !== 'string' || signature === '') bad.push(`19 messages.${at}.${n}: thinking without a signature`);
        else if (signature !== sign(context.secret, lines, String(block['thinking'])))
          bad.push(`19 messages.${at}.${n}: thinking altered or moved`);
        const first = typeof signature === 'string' ? (context.issued.get(signature) ?? null) : null;
        if (first !== null && first !== before) bad.push(`20 messages.${at}.${n}: thinking before it was left out`);
        before = typeof signature === 'string' ? signature : null;
      }
      const line = signedLine(block);
      if (line !== null) lines.push(line);
    });
  });
}

function markers(body: WireBody, context: RuleContext, bad: string[]): void {
  let count = 0;
  const look = (block: Record<string, unknown>, where: string): void => {
    if (!('cache_control' in block)) return;
    count++;
    if (context.profile === 'plain') bad.push(`33 ${where}: cache marker`);
    if (isThinking(block as WireBlock)) bad.push(`21 ${where}: marker on thinking`);
    if ((block['cache_control'] as { type?: unknown }).type !== 'ephemeral') bad.push(`21 ${where}: marker type`);
  };
  for (const tool of body.tools ?? []) look(tool, 'tools');
  if (Array.isArray(body.system)) for (const block of body.system) look(block, 'system');
  body.messages.forEach((message, at) => blocksOf(message).forEach((block, n) => look(block, `messages.${at}.${n}`)));
  if (count > 4) bad.push(`21 ${count} markers`);
}
