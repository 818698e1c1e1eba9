/** The two tables of sync as a page to read: what every phase does about every event, found by asking the tables themselves. */
import { CLOSE, type DownFrame } from '#shared/protocol/frames.ts';
import { PROTOCOL } from '#shared/protocol/version.ts';
import { link, LINK_BACKOFF, LINK_TIMES, OFF, PHASES, type LinkEvent, type LinkState, type Phase } from '../../app/sync/state.ts';
import { downAt, SUB_PHASES, subscription, type SubEvent, type SubPhase, type SubState } from '../../app/sync/subscription.ts';
import { eventRecord, receiptOf } from './device/records.ts';

interface Case<S, E> {
  name: string;
  state: S;
  event: E;
}
interface Outcome {
  state: { phase: string };
  effects: readonly { type: string }[];
}
const SOCKET = 7;
const frameEnds = (frame: DownFrame): SubEvent => ({ type: 'frame', frame }) as SubEvent;

/** Effects as words: what matters of each, in order. */
function effectWords(effect: { type: string }): string {
  const { type, name, pace } = effect as { type: string; name?: string; pace?: string };
  return [type, name, pace].filter((word) => word !== undefined).join(' ');
}
function row(name: string, phase: string, { state, effects }: Outcome): string {
  const next = state.phase === phase ? '' : `**${state.phase}**`;
  return `| ${name} | ${next} | ${effects.map(effectWords).join(', ')} |`;
}

const LINK_EVENTS: readonly { name: string; event: LinkEvent }[] = [
  { name: 'start', event: { type: 'start' } },
  { name: 'stop', event: { type: 'stop' } },
  { name: 'wake', event: { type: 'wake' } },
  { name: 'hide', event: { type: 'hide' } },
  { name: 'retry', event: { type: 'retry' } },
  { name: 'opened', event: { type: 'opened', socket: SOCKET } },
  { name: 'welcome', event: { type: 'welcome', socket: SOCKET, protocol: PROTOCOL } },
  { name: 'welcome of a server too old', event: { type: 'welcome', socket: SOCKET, protocol: 0 } },
  { name: 'heard', event: { type: 'heard', socket: SOCKET } },
  { name: 'closed', event: { type: 'closed', socket: SOCKET, code: 1006 } },
  { name: `closed ${CLOSE.revoked}`, event: { type: 'closed', socket: SOCKET, code: CLOSE.revoked } },
  { name: `closed ${CLOSE.tooOld}`, event: { type: 'closed', socket: SOCKET, code: CLOSE.tooOld } },
  ...(['open', 'silent', 'signed-out'] as const).map((answer) => ({ name: `door ${answer}`, event: { type: 'door', answer } as const })),
  { name: 'signed-in', event: { type: 'signed-in' } },
  { name: 'signed-out', event: { type: 'signed-out' } },
  ...(['deadline', 'ping', 'pong', 'backoff', 'stable', 'rest'] as const).map((name) => ({
    name: `timer ${name}`,
    event: { type: 'timer', name } as const,
  })),
  { name: 'an older socket says anything', event: { type: 'closed', socket: SOCKET - 1, code: 1006 } },
];
/** Conditions that some rules look at, beside the phase. */
const CONDITIONS: readonly { name: string; state: Partial<LinkState> }[] = [
  { name: '', state: {} },
  { name: 'while a ping is out', state: { probing: true } },
  { name: 'hidden', state: { hidden: true } },
  { name: 'hidden, something held', state: { hidden: true, holding: true } },
];

/** Rows of a phase: an event that does nothing has none, nor has a condition that makes no difference. */
function rowsOf<S extends { phase: string }, E>(phase: string, cases: readonly Case<S, E>[][], table: (state: S, event: E) => Outcome) {
  const rows: string[] = [];
  for (const [base, ...variants] of cases) {
    const plain = table(base!.state, base!.event);
    if (plain.effects.length > 0 || plain.state !== base!.state) rows.push(row(base!.name, phase, plain));
    for (const { name, state, event } of variants) {
      const outcome = table(state, event);
      if (row('', phase, outcome) !== row('', phase, plain)) rows.push(row(name, phase, outcome));
    }
  }
  return rows;
}

function linkPhase(phase: Phase): string[] {
  const cases = LINK_EVENTS.map(({ name, event }) =>
    CONDITIONS.map((condition) => ({
      name: condition.name === '' ? name : `${name}, ${condition.name}`,
      state: { ...OFF, phase, socket: SOCKET, tries: 2, ...condition.state },
      event,
    })),
  );
  return rowsOf<LinkState, LinkEvent>(phase, cases, link);
}

const AT = { seq: 5, lastId: 'id-5' };
const SESSION = 's';
const record = eventRecord(SESSION, 6, 'resumed', {});
const SUB_EVENTS: readonly { name: string; event: SubEvent; state?: Partial<SubState> }[] = [
  { name: 'up, the mirror has something', event: { type: 'up', cursor: AT } },
  { name: 'up, the mirror has nothing', event: { type: 'up', cursor: { seq: 0, lastId: null } } },
  { name: 'down', event: { type: 'down' } },
  { name: 'adrift', event: { type: 'adrift', cursor: AT } },
  { name: 'lost', event: { type: 'lost' } },
  { name: 'loaded', event: { type: 'loaded', cursor: AT } },
  { name: 'applied', event: { type: 'applied', cursor: { seq: 6, lastId: record.id }, records: [record] } },
  { name: '`records`', event: frameEnds({ type: 'records', sessionId: SESSION, records: [record] }) },
  { name: '`input`', event: frameEnds({ type: 'input', sessionId: SESSION, receipt: receiptOf(SESSION, 'i') }) },
  { name: '`caught-up`', event: frameEnds({ type: 'caught-up', sessionId: SESSION, head: 6 }) },
  { name: '`live-snapshot`', event: frameEnds({ type: 'live-snapshot', sessionId: SESSION, turnId: null }) },
  {
    name: '`live` that goes on',
    event: frameEnds({ type: 'live', sessionId: SESSION, turnId: 't', step: 0, attempt: 0, phase: 'message', n: 1, events: [] }),
    state: { live: { known: true, fold: null, n: 0, done: null, waiting: null } },
  },
  {
    name: '`live` with one missing before it',
    event: frameEnds({ type: 'live', sessionId: SESSION, turnId: 't', step: 0, attempt: 0, phase: 'message', n: 3, events: [] }),
    state: { live: { known: true, fold: null, n: 0, done: null, waiting: null } },
  },
  { name: '`gap`', event: frameEnds({ type: 'gap', sessionId: SESSION, head: 9000 }) },
  { name: '`reset`', event: frameEnds({ type: 'reset', sessionId: SESSION, epoch: 'e2' }) },
];
function subPhase(phase: SubPhase): string[] {
  const cases = SUB_EVENTS.map(({ name, event, state }) => [{ name, state: { ...downAt(AT), phase, ...state }, event }]);
  return rowsOf<SubState, SubEvent>(phase, cases, subscription);
}

const HEAD = ['| event | → | effects, in order |', '|---|---|---|'];
function sections<P extends string>(phases: Readonly<Record<P, string>>, rows: (phase: P) => string[]): string[] {
  return (Object.keys(phases) as P[]).flatMap((phase) => [`### ${phase}`, '', `${phases[phase]}.`, '', ...HEAD, ...rows(phase), '']);
}
const seconds = (ms: number): string => `${ms / 1000} s`;

export function machineDoc(): string {
  const { shown, hidden } = LINK_BACKOFF;
  return [
    '# The sync machine',
    '',
    'Two pure tables, `state × event → {state, effects}`: `state.ts` is the link to the server, one a tab; `subscription.ts` is one session',
    'on that link. This page is written from them by `test/unit/app.machine.test.ts`, which fails when the two differ (`npx vitest run',
    'test/unit/app.machine.test.ts --update=all` writes it anew). An event that is not listed for a phase does nothing there and changes nothing.',
    '',
    '## What the tables promise',
    '',
    '- **Alive is proven, never believed.** A socket counts once `welcome` came; waking (visible, online, pageshow) asks also one that says it is',
    `  open, and ${seconds(5_000)} without a word replace it. \`navigator.onLine\` is read nowhere.`,
    '- **One socket.** Each has a number; what an older one says is dropped. The same holds for answers: a load or a try that belongs to an',
    '  earlier link, epoch or generation of the mirror changes nothing.',
    '- **Nothing past a gap.** Records are applied from cursor + 1 or not at all; the mirror refuses others, and the subscription asks again from',
    '  where the mirror really is. The cursor moves with the rows, in one transaction.',
    `- **Waits spread.** ${seconds(shown.base)} doubling to ${seconds(shown.cap)}, hidden ${seconds(hidden.base)} to ${seconds(hidden.cap)}, over the upper three quarters by chance; small again only after`,
    `  ${seconds(LINK_TIMES.stable)} of a good link. A hidden page with nothing held seeks none, and lets one go after ${seconds(LINK_TIMES.rest)}.`,
    '- **Another history** (epoch, or a cursor that the server does not know) empties the mirror, never the outbox.',
    '',
    '## The link',
    '',
    ...sections(PHASES, linkPhase),
    '## A subscription',
    '',
    ...sections(SUB_PHASES, subPhase),
  ].join('\n');
}
