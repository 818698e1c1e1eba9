/** What a request's messages say about the job at hand: its prompts, and the calls made for it so far. Pure. */
import type { WireBlock, WireMessage } from '../wire-types.ts';

export interface DoneCall {
  name: string;
  input: Record<string, unknown>;
  text: string;
  isError: boolean;
}
export interface Job {
  /** The prompts of the job, oldest first. */
  prompts: string[];
  calls: DoneCall[];
  /** What was said after the last call, when the answer was cut off there. */
  said: string;
  /** The session's first: nothing was answered before it. */
  first: boolean;
}

/** Notes that Cairn adds to a user's message: facts for a model, no words of the user. */
const NOTE = /^(?:<context>[\s\S]*<\/context>|\[[\s\S]*\])$/;
const STOPPED = /^\[The user stopped/;

const textsOf = (message: WireMessage): string[] =>
  message.content.filter((block) => block.type === 'text').map((block) => String(block['text']));
const callsOf = (message: WireMessage): WireBlock[] => message.content.filter((block) => block.type === 'tool_use');

/** The job that the newest message is about: from the prompt that opened it. A prompt that came while tools ran belongs to it. */
export function readJob(messages: readonly WireMessage[]): Job {
  let start = 0;
  messages.forEach((message, at) => {
    if (message.role !== 'user' || promptsOf(message, true).length === 0) return;
    const before = messages[at - 1];
    const stopped = textsOf(message).some((text) => STOPPED.test(text));
    if (before === undefined || stopped || callsOf(before).length === 0) start = at;
  });
  const job: Job = { prompts: [], calls: [], said: '', first: !messages.slice(0, start).some((message) => message.role === 'assistant') };
  messages.slice(start).forEach((message, at) => {
    if (message.role === 'user') {
      job.prompts.push(...promptsOf(message, at === 0));
      return;
    }
    const results = new Map(resultsOf(messages[start + at + 1]).map((result) => [result['tool_use_id'], result]));
    for (const call of callsOf(message)) {
      const result = results.get(call['id']);
      if (result === undefined) continue;
      job.calls.push({
        name: String(call['name']),
        input: call['input'] as Record<string, unknown>,
        text: contentOf(result),
        isError: result['is_error'] === true,
      });
    }
    job.said = callsOf(message).length > 0 ? '' : job.said + textsOf(message).join('');
  });
  return job;
}

/** `opening`: only what follows the user's Stop counts, since the words before it were of a job that is over. */
function promptsOf(message: WireMessage, opening: boolean): string[] {
  const texts = textsOf(message);
  const from = opening ? texts.findLastIndex((text) => STOPPED.test(text)) + 1 : 0;
  return texts.slice(from).filter((text) => !NOTE.test(text.trim()));
}

function resultsOf(message: WireMessage | undefined): WireBlock[] {
  return message?.role === 'user' ? message.content.filter((block) => block.type === 'tool_result') : [];
}

function contentOf(result: WireBlock): string {
  const content = result['content'];
  if (typeof content === 'string') return content === '(no output)' ? '' : content;
  return Array.isArray(content) ? content.map((part: { text?: unknown }) => String(part.text ?? '')).join('\n') : '';
}
