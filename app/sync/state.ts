/**
 * The link to the server: a pure table, `state × event → {state, effects}`. What a browser says about being online decides
 * nothing here; it is only a reason to look (R1). Timers, sockets and requests are effects that `link.ts` performs.
 * `machine.md` beside this file is written from the table, and a test holds it to that.
 */
import { CLOSE } from '#shared/protocol/frames.ts';
import { TIMES } from '#shared/protocol/limits.ts';
import { PROTOCOL_SERVER_MINIMUM } from '#shared/protocol/version.ts';

/** Every phase, and what it means. */
export const PHASES = {
  off: 'not started, or stopped',
  opening: 'a socket is connecting',
  greeting: 'it is open and `hello` is sent',
  up: '`welcome` came',
  asking: 'the upgrade failed and the browser hides why: `GET /sessions` tells',
  waiting: 'until the next try',
  resting: 'hidden, so no socket is sought or kept',
  'signed-out': 'the server knows no such device',
  'too-old': 'this app must be updated; it goes on reading',
  'server-old': 'the server must be updated; this app goes on reading',
} as const;
export type Phase = keyof typeof PHASES;
export type TimerName = 'deadline' | 'ping' | 'pong' | 'backoff' | 'stable' | 'rest';

export interface LinkState {
  phase: Phase;
  /** The newest socket's number: what an older one says is ignored. */
  socket: number;
  /** Failed tries in a row; back to 0 after a stable time. */
  tries: number;
  /** A ping is out. */
  probing: boolean;
  /** The last finished try found nobody. */
  offline: boolean;
  hidden: boolean;
  /** Commands wait on this device: then also a hidden page looks for the server. */
  holding: boolean;
}
export const OFF: LinkState = { phase: 'off', socket: 0, tries: 0, probing: false, offline: false, hidden: false, holding: false };

/** What `GET /sessions` said after a failed upgrade. */
export type Door = 'open' | 'silent' | 'signed-out';
export type LinkEvent =
  | { type: 'start' }
  | { type: 'stop' }
  /** The page was shown again, or the browser believes that it is online. */
  | { type: 'wake' }
  | { type: 'hide' }
  /** Something waits on this device to be sent, or nothing does any more. */
  | { type: 'holding'; some: boolean }
  /** The user asked for a try now. */
  | { type: 'retry' }
  | { type: 'opened'; socket: number }
  | { type: 'welcome'; socket: number; protocol: number }
  /** Any other frame. */
  | { type: 'heard'; socket: number }
  | { type: 'closed'; socket: number; code: number }
  | { type: 'timer'; name: TimerName }
  | { type: 'door'; answer: Door }
  | { type: 'signed-in' }
  | { type: 'signed-out' };

export type LinkEffect =
  | { type: 'connect'; socket: number }
  /** Closes it; whatever it still says is ignored. */
  | { type: 'drop'; socket: number }
  | { type: 'hello' }
  | { type: 'ping' }
  | { type: 'timer'; name: TimerName; ms: number }
  /** A wait before try `attempt`, with jitter. */
  | { type: 'backoff'; attempt: number; pace: Pace }
  | { type: 'clear'; name: TimerName }
  | { type: 'ask-door' }
  /** Sessions may be subscribed and the outbox flushed. */
  | { type: 'up' }
  | { type: 'down' };

/** Milliseconds. */
export const LINK_TIMES = { open: 10_000, stable: 10_000, rest: 5 * 60_000 } as const;
/** `shown`: the cap is what a person who has just started the server again waits at most. `hidden`: nobody looks. */
export const LINK_BACKOFF = { shown: { base: 500, cap: 8_000 }, hidden: { base: 5_000, cap: 60_000 } } as const;
export type Pace = keyof typeof LINK_BACKOFF;

type Step = { state: LinkState; effects: LinkEffect[] };
/** The columns of the table: each timer is an event of its own. */
export type EventKey = Exclude<LinkEvent['type'], 'timer'> | `timer ${TimerName}`;
type EventOf<K extends EventKey> = K extends `timer ${string}` ? { type: 'timer' } : Extract<LinkEvent, { type: K }>;
type Rule<K extends EventKey> = (state: LinkState, event: EventOf<K>) => Step;
type Row = { readonly [K in EventKey]: Rule<K> };

// ---- what rules are made of

const stay = (state: LinkState): Step => ({ state, effects: [] });
const WITH_SOCKET: readonly Phase[] = ['opening', 'greeting', 'up'];

function connect(state: LinkState): Step {
  const ends = letGo(state);
  const socket = state.socket + 1;
  return {
    state: { ...state, phase: 'opening', socket, probing: false },
    effects: [...ends, { type: 'connect', socket }, { type: 'timer', name: 'deadline', ms: LINK_TIMES.open }],
  };
}
/** Effects that end whatever the phase had going. */
function letGo(state: LinkState): LinkEffect[] {
  const effects: LinkEffect[] = [];
  if (state.phase === 'opening' || state.phase === 'greeting') effects.push({ type: 'clear', name: 'deadline' });
  if (state.phase === 'up') {
    effects.push({ type: 'clear', name: 'ping' }, { type: 'clear', name: 'pong' }, { type: 'clear', name: 'stable' }, { type: 'down' });
  }
  if (state.phase === 'waiting') effects.push({ type: 'clear', name: 'backoff' });
  if (WITH_SOCKET.includes(state.phase)) effects.push({ type: 'drop', socket: state.socket });
  return effects;
}
/** To a phase without a socket. The socket's number rises, so that its late events mean nothing. */
function leave(state: LinkState, phase: Phase): Step {
  return { state: { ...state, phase, socket: state.socket + 1, probing: false, tries: 0 }, effects: letGo(state) };
}
/** A try found no link. Nobody looks and nothing waits here: so nobody is asked either, until the page is shown (R12). */
function wait(state: LinkState): Step {
  const tries = state.tries + 1;
  if (state.hidden && !state.holding) return stay({ ...state, phase: 'resting', probing: false, tries });
  const pace: Pace = state.hidden ? 'hidden' : 'shown';
  return { state: { ...state, phase: 'waiting', probing: false, tries }, effects: [{ type: 'backoff', attempt: state.tries, pace }] };
}
function probe(state: LinkState): Step {
  if (state.probing) return stay(state);
  return { state: { ...state, probing: true }, effects: [{ type: 'ping' }, { type: 'timer', name: 'pong', ms: TIMES.pongWithin }] };
}

// ---- rules of all phases

const shown = (state: LinkState): LinkState => ({ ...state, hidden: false });
const NO_REST: LinkEffect = { type: 'clear', name: 'rest' };
const begin = (state: LinkState): Step => connect({ ...state, tries: 0 });
const again = (state: LinkState): Step => connect({ ...state, offline: false });
const woken = (then: (state: LinkState) => Step): Rule<'wake'> => {
  return (state) => {
    const { state: next, effects } = then(shown(state));
    return { state: next, effects: [NO_REST, ...effects] };
  };
};
function hide(state: LinkState): Step {
  return { state: { ...state, hidden: true }, effects: [{ type: 'timer', name: 'rest', ms: LINK_TIMES.rest }] };
}
/** What is held here outweighs the rest, for as long as it is held. */
function rest(state: LinkState): Step {
  if (!state.hidden) return stay(state);
  return state.holding ? hide(state) : leave(state, 'resting');
}
const note: Rule<'holding'> = (state, { some }) => stay(state.holding === some ? state : { ...state, holding: some });

// ---- rules of one phase

function welcome(state: LinkState, { protocol }: EventOf<'welcome'>): Step {
  if (protocol < PROTOCOL_SERVER_MINIMUM) return leave(state, 'server-old');
  return {
    state: { ...state, phase: 'up', offline: false },
    effects: [
      { type: 'clear', name: 'deadline' },
      { type: 'timer', name: 'ping', ms: TIMES.pingAfter },
      { type: 'timer', name: 'stable', ms: LINK_TIMES.stable },
      { type: 'up' },
    ],
  };
}
/** The socket is gone by itself: nothing is left to drop. */
function closed(then: (state: LinkState) => Step): Rule<'closed'> {
  return (state, { code }) => {
    const ends = letGo(state).filter((effect) => effect.type !== 'drop');
    if (code === CLOSE.tooOld) return { state: { ...state, phase: 'too-old', probing: false }, effects: ends };
    const next = code === CLOSE.revoked ? ask(state) : then(state);
    return { state: next.state, effects: [...ends, ...next.effects] };
  };
}
const ask = (state: LinkState): Step => ({ state: { ...state, phase: 'asking', probing: false }, effects: [{ type: 'ask-door' }] });
const late: Rule<'timer deadline'> = (state) => ({
  state: { ...state, phase: 'asking', socket: state.socket + 1 },
  effects: [{ type: 'drop', socket: state.socket }, { type: 'ask-door' }],
});
const answered: Rule<'door'> = (state, { answer }) =>
  answer === 'signed-out' ? leave(state, 'signed-out') : wait({ ...state, offline: true });
const heard: Rule<'heard'> = (state) =>
  state.probing ? { state: { ...state, probing: false }, effects: [{ type: 'clear', name: 'pong' }] } : stay(state);
const beat: Rule<'timer ping'> = (state) => {
  const asked = probe(state);
  return { state: asked.state, effects: [...asked.effects, { type: 'timer', name: 'ping', ms: TIMES.pingAfter }] };
};

// ---- the table

/** A phase in which an event of this kind means nothing. */
const QUIET: Row = {
  start: stay,
  stop: (state) => leave(state, 'off'),
  wake: woken(stay),
  hide,
  holding: note,
  retry: stay,
  opened: stay,
  welcome: stay,
  heard: stay,
  closed: stay,
  door: stay,
  'signed-in': begin,
  'signed-out': (state) => leave(state, 'signed-out'),
  'timer deadline': stay,
  'timer ping': stay,
  'timer pong': stay,
  'timer backoff': stay,
  'timer stable': stay,
  'timer rest': rest,
};
export const TABLE: { readonly [P in Phase]: Row } = {
  off: { ...QUIET, start: connect, 'timer rest': stay },
  opening: {
    ...QUIET,
    opened: (state) => ({ state: { ...state, phase: 'greeting' }, effects: [{ type: 'hello' }] }),
    closed: closed(ask),
    'timer deadline': late,
  },
  greeting: { ...QUIET, welcome, closed: closed(ask), 'timer deadline': late },
  up: {
    ...QUIET,
    // The socket may say that it is open and yet be dead since the device slept (B1): ask it.
    wake: woken(probe),
    retry: probe,
    heard,
    closed: closed(wait),
    'timer ping': beat,
    'timer pong': (state) => (state.probing ? connect(state) : stay(state)),
    'timer stable': (state) => stay({ ...state, tries: 0 }),
  },
  asking: { ...QUIET, door: answered },
  waiting: { ...QUIET, wake: woken(connect), retry: again, 'timer backoff': connect },
  resting: { ...QUIET, wake: woken(connect), retry: again },
  'signed-out': { ...QUIET, retry: again, 'timer rest': stay },
  'too-old': { ...QUIET, retry: again, 'timer rest': stay },
  'server-old': { ...QUIET, wake: woken(connect), retry: again, 'timer rest': stay },
};

/** One event. What a socket that is not the newest says is ignored, whatever the phase. */
export function link(state: LinkState, event: LinkEvent): Step {
  if ('socket' in event && event.socket !== state.socket) return stay(state);
  const rule = TABLE[state.phase][event.type === 'timer' ? (`timer ${event.name}` as const) : event.type];
  // The key was made from the event, so the rule is for just such an event; TypeScript does not follow that.
  return (rule as (state: LinkState, event: LinkEvent) => Step)(state, event);
}
