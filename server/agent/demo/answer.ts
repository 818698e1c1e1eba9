/**
 * The demo model's next message, as a pure function of the request's messages: it keeps no state, so a retry, a restart
 * or a resumed turn gets the same answer again.
 */
import { oneLine } from '#shared/text.ts';
import type { WireMessage } from '../wire-types.ts';
import { readJob, type Job } from './history.ts';
import { nextCall, wasDenied, type Call, type Outcome } from './steps.ts';
import { understand, type Intent } from './understand.ts';
import { ABILITIES, counting, INTRODUCTION, planText, report, story } from './words.ts';

export interface DemoAnswer {
  /** Empty: it does not think this time. */
  thinking: string;
  text: string;
  call: Call | null;
}

export function answer(messages: readonly WireMessage[]): DemoAnswer {
  const job = readJob(messages);
  const intents = job.prompts.flatMap(understand);
  const { outcomes, call, intent } = walk(intents, job);
  // Said with the first words of all, which are those before a first call.
  const greeting = job.first && job.calls.length === 0 ? `${INTRODUCTION}\n\n` : '';
  if (call !== null && intent !== null) {
    const thinking = job.calls.length === 0 ? thoughts(intents) : afterCall(job);
    return { thinking, text: `${greeting}${announce(intent, call, job.calls.length > 0)}`, call };
  }
  const whole = `${greeting}${closing(intents, outcomes)}`;
  // An answer that was cut off goes on where it stopped: what was said is the head of the very same words.
  const rest = job.said !== '' && whole.startsWith(job.said) ? whole.slice(job.said.length) : whole;
  const thinking = job.said === '' ? (job.calls.length > 0 ? afterCall(job) : thoughts(intents)) : '';
  return { thinking, text: rest.trim() === '' ? 'That was all.' : rest, call: null };
}

/** Plays the calls made so far against the intents: what came of each, and the first call that is still to be made. */
function walk(intents: readonly Intent[], job: Job): { outcomes: Outcome[]; call: Call | null; intent: Intent | null } {
  const outcomes: Outcome[] = [];
  let used = 0;
  for (const intent of intents) {
    const outcome: Outcome = { intent, calls: [] };
    for (;;) {
      const call = nextCall(intent, outcome.calls, outcomes);
      if (call === null) break;
      const done = job.calls[used];
      if (done === undefined) return { outcomes, call, intent };
      used++;
      outcome.calls.push(done);
    }
    outcomes.push(outcome);
    if (outcome.calls.some(wasDenied)) break;
  }
  return { outcomes, call: null, intent: null };
}

function thoughts(intents: readonly Intent[]): string {
  const steps = intents.map(describe);
  const deep = intents.find((intent) => intent.kind === 'think');
  const first =
    steps.length === 1
      ? `The user wants me to ${steps[0]!}.`
      : `The user wants ${steps.length} things: ${steps.map((step, at) => `${at + 1}) ${step}`).join('; ')}. I take them in this order.`;
  if (deep === undefined) return first;
  return `${first} What do I know about it? Only what the files say: I am a small program. I could look at the folder, read what seems to matter, and count what is there. Guessing would help nobody, so I say what I would look at, and in which order.`;
}

function afterCall(job: Job): string {
  const { name, text, isError } = job.calls.at(-1)!;
  if (isError) return `That ${name} did not work. I look at what it said before I go on.`;
  if (name === 'write' || name === 'edit') return `The ${name} went through. Now for what comes next.`;
  return `The ${name} brought back: "${oneLine(text, 120) || 'nothing'}". Now for what comes next.`;
}

function describe(intent: Intent): string {
  switch (intent.kind) {
    case 'list':
      return `list ${intent.path ?? 'the folder'}`;
    case 'read':
      return `read ${intent.path}`;
    case 'search':
      return `search for ${oneLine(intent.pattern, 60)}`;
    case 'write':
      return `write ${intent.path}${intent.content === null ? ' with a summary' : ''}`;
    case 'edit':
      return `change ${intent.path}`;
    case 'run':
      return `run ${oneLine(intent.command, 80)}`;
    case 'count':
      return `count to ${intent.to}`;
    case 'story':
      return `tell a story of ${intent.words} words`;
    case 'plan':
      return `plan ${oneLine(intent.about, 80)}`;
    case 'think':
      return `think about ${oneLine(intent.about, 80)}`;
    case 'greet':
      return 'say what I can do';
    case 'unknown':
      return `do something I may not understand ("${oneLine(intent.words, 80)}")`;
  }
}

function announce(intent: Intent, call: Call, later: boolean): string {
  if (call.name === 'read' && intent.kind !== 'read')
    return `I read \`${String(call.input['path'])}\` first, so that nothing in it is lost.`;
  return `${later ? 'Now I' : 'I'} ${describe(intent)}.`;
}

function closing(intents: readonly Intent[], outcomes: readonly Outcome[]): string {
  const parts = outcomes.map((outcome) => said(outcome)).filter((part) => part !== '');
  const left = intents.slice(outcomes.length);
  if (left.length > 0) parts.push(`Not done: ${left.map(describe).join('; ')}.`);
  return parts.join('\n\n');
}

function said(outcome: Outcome): string {
  const { intent } = outcome;
  switch (intent.kind) {
    case 'count':
      return counting(intent.to);
    case 'story':
      return story(intent.words);
    case 'plan':
      return planText(intent.about);
    case 'think':
      return `I thought about ${oneLine(intent.about, 120)}, as far as a demo model can. What helps me is something to do: ask me to list, read or search, and I work with what is really there.`;
    case 'greet':
      return ABILITIES;
    case 'unknown':
      return `I do not understand "${oneLine(intent.words, 120)}". ${ABILITIES}`;
    default:
      return report(outcome);
  }
}
