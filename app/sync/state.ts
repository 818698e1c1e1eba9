/**
 * The link to the server: a pure table, `state × event → {state, effects}`. What a browser says about being online decides
 * nothing here; it is only a reason to look (R1). Timers, sockets and requests are effects that `engine.ts` performs.
 *
 * | phase      | means                                                                     |
 * |------------|---------------------------------------------------------------------------|
 * | off        | not started, or stopped                                                   |
 * | opening    | a socket is connecting                                                    |
 * | greeting   | it is open and `hello` is sent                                            |
 * | up         | `welcome` came                                                            |
 * | asking     | the upgrade failed and the browser hides why: `GET /sessions` tells       |
 * | waiting    | until the next try                                                        |
 * | resting    | hidden for a while, so the socket was let go                              |
 * | signed-out | the server knows no such device                                           |
 * | too-old    | this app must be updated; it goes on reading                              |
 */
import { CLOSE } from '#shared/protocol/frames.ts';
import { TIMES } from '#shared/protocol/limits.ts';

export type Phase = 'off' | 'opening' | 'greeting' | 'up' | 'asking' | 'waiting' | 'resting' | 'signed-out' | 'too-old';
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
}
export const OFF: LinkState = { phase: 'off', socket: 0, tries: 0, probing: false, offline: false, hidden: false };

/** What `GET /sessions` said after a failed upgrade. */
export type Door = 'open' | 'silent' | 'signed-out';
export type LinkEvent =
  | { type: 'start' }
  | { type: 'stop' }
  /** The page was shown again, or the browser believes that it is online. */
  | { type: 'wake' }
  | { type: 'hide' }
  /** The user asked for a try now. */
  | { type: 'retry' }
  | { type: 'opened'; socket: number }
  | { type: 'welcome'; socket: number }
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
  | { type: 'backoff'; attempt: number }
  | { type: 'clear'; name: TimerName }
  | { type: 'ask-door' }
  /** Sessions may be subscribed and the outbox flushed. */
  | { type: 'up' }
  | { type: 'down' };

/** Milliseconds. */
export const LINK_TIMES = { open: 10_000, stable: 10_000, rest: 5 * 60_000 } as const;
/** The cap is what a person who has just started the server again waits at most. */
export const LINK_BACKOFF = { base: 500, cap: 8_000 } as const;

type Step = { state: LinkState; effects: LinkEffect[] };
const stay = (state: LinkState): Step => ({ state, effects: [] });

export function link(state: LinkState, event: LinkEvent): Step {
  if ('socket' in event && event.socket !== state.socket) return stay(state);
  switch (event.type) {
    case 'start':
      return state.phase === 'off' ? connect(state, []) : stay(state);
    case 'stop':
      return leave(state, 'off');
    case 'signed-in':
      return connect({ ...state, tries: 0 }, letGo(state));
    case 'signed-out':
      return leave(state, 'signed-out');
    case 'retry':
      return retry({ ...state, offline: false });
    case 'wake':
      return wake({ ...state, hidden: false });
    case 'hide':
      return { state: { ...state, hidden: true }, effects: [{ type: 'timer', name: 'rest', ms: LINK_TIMES.rest }] };
    case 'opened':
      return state.phase === 'opening' ? { state: { ...state, phase: 'greeting' }, effects: [{ type: 'hello' }] } : stay(state);
    case 'welcome':
      return welcome(state);
    case 'heard':
      return state.probing ? { state: { ...state, probing: false }, effects: [{ type: 'clear', name: 'pong' }] } : stay(state);
    case 'closed':
      return closed(state, event.code);
    case 'door':
      return door(state, event.answer);
    case 'timer':
      return timer(state, event.name);
  }
}

function connect(state: LinkState, before: LinkEffect[]): Step {
  const socket = state.socket + 1;
  return {
    state: { ...state, phase: 'opening', socket, probing: false },
    effects: [...before, { type: 'connect', socket }, { type: 'timer', name: 'deadline', ms: LINK_TIMES.open }],
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
  if (state.phase === 'opening' || state.phase === 'greeting' || state.phase === 'up') effects.push({ type: 'drop', socket: state.socket });
  return effects;
}
/** To a phase without a socket. The socket's number rises, so that its late events mean nothing. */
function leave(state: LinkState, phase: Phase): Step {
  return { state: { ...state, phase, socket: state.socket + 1, probing: false, tries: 0 }, effects: letGo(state) };
}
function wait(state: LinkState): Step {
  return {
    state: { ...state, phase: 'waiting', probing: false, tries: state.tries + 1 },
    effects: [{ type: 'backoff', attempt: state.tries }],
  };
}
function probe(state: LinkState): Step {
  if (state.probing) return stay(state);
  return { state: { ...state, probing: true }, effects: [{ type: 'ping' }, { type: 'timer', name: 'pong', ms: TIMES.pongWithin }] };
}

function wake(state: LinkState): Step {
  const clear: LinkEffect = { type: 'clear', name: 'rest' };
  if (state.phase === 'waiting' || state.phase === 'resting') return connect(state, [clear, ...letGo(state)]);
  if (state.phase !== 'up') return { state, effects: [clear] };
  // The socket may say that it is open and yet be dead since the device slept (B1): ask it.
  const asked = probe(state);
  return { state: asked.state, effects: [clear, ...asked.effects] };
}
function retry(state: LinkState): Step {
  if (state.phase === 'up') return probe(state);
  if (state.phase === 'waiting' || state.phase === 'resting' || state.phase === 'signed-out') return connect(state, letGo(state));
  return stay(state);
}
function welcome(state: LinkState): Step {
  if (state.phase !== 'greeting') return stay(state);
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
function closed(state: LinkState, code: number): Step {
  const ends = letGo(state).filter((effect) => effect.type !== 'drop');
  if (code === CLOSE.tooOld) return { state: { ...state, phase: 'too-old', probing: false }, effects: ends };
  if (state.phase === 'up' && code !== CLOSE.revoked) {
    const next = wait(state);
    return { state: next.state, effects: [...ends, ...next.effects] };
  }
  if (state.phase !== 'opening' && state.phase !== 'greeting' && state.phase !== 'up') return stay(state);
  return { state: { ...state, phase: 'asking', probing: false }, effects: [...ends, { type: 'ask-door' }] };
}
function door(state: LinkState, answer: Door): Step {
  if (state.phase !== 'asking') return stay(state);
  if (answer === 'signed-out') return leave(state, 'signed-out');
  return wait({ ...state, offline: true });
}
function timer(state: LinkState, name: TimerName): Step {
  switch (name) {
    case 'deadline': {
      if (state.phase !== 'opening' && state.phase !== 'greeting') return stay(state);
      const effects: LinkEffect[] = [{ type: 'drop', socket: state.socket }, { type: 'ask-door' }];
      return { state: { ...state, phase: 'asking', socket: state.socket + 1 }, effects };
    }
    case 'ping': {
      if (state.phase !== 'up') return stay(state);
      const asked = probe(state);
      return { state: asked.state, effects: [...asked.effects, { type: 'timer', name: 'ping', ms: TIMES.pingAfter }] };
    }
    case 'pong':
      return state.phase === 'up' && state.probing ? connect(state, letGo(state)) : stay(state);
    case 'backoff':
      return state.phase === 'waiting' ? connect(state, []) : stay(state);
    case 'stable':
      return state.phase === 'up' ? stay({ ...state, tries: 0 }) : stay(state);
    case 'rest':
      return state.hidden && state.phase !== 'signed-out' && state.phase !== 'too-old' && state.phase !== 'off'
        ? leave(state, 'resting')
        : stay(state);
  }
}
