/** The link's table: every way that a link comes, goes and is doubted. */
import { describe, expect, test } from 'vitest';
import { CLOSE } from '#shared/protocol/frames.ts';
import { PROTOCOL } from '#shared/protocol/version.ts';
import { link, OFF, type LinkEffect, type LinkEvent, type LinkState } from '../../app/sync/state.ts';

/** Runs events one after another; `socket` in them is filled with the newest. */
function run(state: LinkState, ...events: (LinkEvent | ((at: LinkState) => LinkEvent))[]): { state: LinkState; effects: LinkEffect[] } {
  let at = { state, effects: [] as LinkEffect[] };
  for (const event of events) at = link(at.state, typeof event === 'function' ? event(at.state) : event);
  return at;
}
const opened = (at: LinkState): LinkEvent => ({ type: 'opened', socket: at.socket });
const welcome = (at: LinkState): LinkEvent => ({ type: 'welcome', socket: at.socket, protocol: PROTOCOL });
const closed =
  (code = 1006) =>
  (at: LinkState): LinkEvent => ({ type: 'closed', socket: at.socket, code });
const UP = run(OFF, { type: 'start' }, opened, welcome).state;
const types = (effects: readonly LinkEffect[]): string[] =>
  effects.map((effect) => ('name' in effect ? `${effect.type} ${effect.name}` : effect.type));

test('start, open, welcome: up', () => {
  expect(types(run(OFF, { type: 'start' }).effects)).toEqual(['connect', 'timer deadline']);
  expect(types(run(OFF, { type: 'start' }, opened).effects)).toEqual(['hello']);
  expect(types(run(OFF, { type: 'start' }, opened, welcome).effects)).toEqual(['clear deadline', 'timer ping', 'timer stable', 'up']);
  expect(UP.phase).toBe('up');
});

describe('B1: a socket that says it is open', () => {
  test('is asked on waking; with no pong in time it is replaced at once', () => {
    const asked = link(UP, { type: 'wake' });
    expect(types(asked.effects)).toEqual(['clear rest', 'ping', 'timer pong']);
    const replaced = link(asked.state, { type: 'timer', name: 'pong' });
    expect(replaced.state).toMatchObject({ phase: 'opening', socket: UP.socket + 1 });
    expect(types(replaced.effects)).toEqual(['clear ping', 'clear pong', 'clear stable', 'down', 'drop', 'connect', 'timer deadline']);
  });
  test('any frame is a sign of life', () => {
    const asked = link(UP, { type: 'wake' }).state;
    const heard = link(asked, { type: 'heard', socket: asked.socket });
    expect(types(heard.effects)).toEqual(['clear pong']);
    expect(link(heard.state, { type: 'timer', name: 'pong' }).effects).toEqual([]);
  });
  test('is not asked twice at once', () => {
    expect(types(run(UP, { type: 'wake' }, { type: 'wake' }).effects)).toEqual(['clear rest']);
  });
});

test.each<LinkEvent>([
  { type: 'opened', socket: 0 },
  { type: 'welcome', socket: 0, protocol: PROTOCOL },
  { type: 'heard', socket: 0 },
  { type: 'closed', socket: 0, code: 1006 },
])('what an old socket still says is ignored: $type', (event) => {
  expect(link(UP, event)).toEqual({ state: UP, effects: [] });
});

describe('a link that ends', () => {
  test('when it was up: down, then a wait, the next one longer', () => {
    const lost = run(UP, closed());
    expect(types(lost.effects)).toEqual(['clear ping', 'clear pong', 'clear stable', 'down', 'backoff']);
    expect(lost.state).toMatchObject({ phase: 'waiting', tries: 1, offline: false });
    const again = run(lost.state, { type: 'timer', name: 'backoff' }, closed(), { type: 'door', answer: 'silent' });
    expect(again.effects).toEqual([{ type: 'backoff', attempt: 1, pace: 'shown' }]);
    expect(again.state).toMatchObject({ phase: 'waiting', tries: 2, offline: true });
  });
  test('before it was up: the door is asked, since the browser hides why', () => {
    expect(types(run(OFF, { type: 'start' }, closed()).effects)).toEqual(['clear deadline', 'ask-door']);
    expect(run(OFF, { type: 'start' }, closed(), { type: 'door', answer: 'signed-out' }).state.phase).toBe('signed-out');
    expect(run(OFF, { type: 'start' }, closed(), { type: 'door', answer: 'open' }).state.phase).toBe('waiting');
  });
  test('a try that never settles is ended by its deadline', () => {
    const late = run(OFF, { type: 'start' }, { type: 'timer', name: 'deadline' });
    expect(types(late.effects)).toEqual(['drop', 'ask-door']);
    expect(late.state.phase).toBe('asking');
  });
  test('revoked: the door says whether it is', () => {
    expect(types(run(UP, closed(CLOSE.revoked)).effects)).toContain('ask-door');
  });
  test('too old: no further try by itself', () => {
    const old = run(UP, closed(CLOSE.tooOld));
    expect(old.state.phase).toBe('too-old');
    expect(run(old.state, { type: 'wake' }, { type: 'timer', name: 'backoff' }).state.phase).toBe('too-old');
  });
});

test('R12: the wait starts small again only after a stable time', () => {
  const failed = run(
    OFF,
    { type: 'start' },
    closed(),
    { type: 'door', answer: 'silent' },
    { type: 'timer', name: 'backoff' },
    opened,
    welcome,
  ).state;
  expect(failed.tries).toBe(1);
  expect(run(failed, closed()).effects.at(-1)).toEqual({ type: 'backoff', attempt: 1, pace: 'shown' });
  expect(run(failed, { type: 'timer', name: 'stable' }, closed()).effects.at(-1)).toEqual({ type: 'backoff', attempt: 0, pace: 'shown' });
});

test('waking ends a wait, and a rest; a hidden page lets go after a while', () => {
  const waiting = run(UP, closed()).state;
  expect(types(run(waiting, { type: 'wake' }).effects)).toEqual(['clear rest', 'clear backoff', 'connect', 'timer deadline']);
  const resting = run(UP, { type: 'hide' }, { type: 'timer', name: 'rest' });
  expect(resting.state.phase).toBe('resting');
  expect(types(resting.effects)).toContain('drop');
  expect(run(resting.state, { type: 'wake' }).state.phase).toBe('opening');
  expect(run(UP, { type: 'hide' }, { type: 'wake' }, { type: 'timer', name: 'rest' }).state.phase).toBe('up');
});

describe('R12: a hidden page', () => {
  const hidden = run(UP, { type: 'hide' }).state;
  test('that loses the link seeks none until it is shown', () => {
    const lost = run(hidden, closed());
    expect(types(lost.effects)).toEqual(['clear ping', 'clear pong', 'clear stable', 'down']);
    expect(lost.state.phase).toBe('resting');
    expect(types(run(lost.state, { type: 'wake' }).effects)).toEqual(['clear rest', 'connect', 'timer deadline']);
  });
  test('on which prompts wait goes on seeking, at a slow pace, and rests once they are gone', () => {
    const holding = run(hidden, { type: 'holding', some: true }).state;
    const lost = run(holding, closed());
    expect(lost.effects.at(-1)).toEqual({ type: 'backoff', attempt: 0, pace: 'hidden' });
    expect(run(lost.state, { type: 'timer', name: 'rest' }).state.phase).toBe('waiting');
    const over = run(lost.state, { type: 'holding', some: false }, { type: 'timer', name: 'rest' });
    expect(over.state.phase).toBe('resting');
    expect(types(over.effects)).toEqual(['clear backoff']);
  });
});

test('a server that this app is too new for is told, and asked again only when somebody looks', () => {
  const old = run(OFF, { type: 'start' }, opened, (at) => ({ type: 'welcome', socket: at.socket, protocol: 0 }));
  expect(old.state.phase).toBe('server-old');
  expect(types(old.effects)).toEqual(['clear deadline', 'drop']);
  expect(run(old.state, { type: 'timer', name: 'backoff' }).state.phase).toBe('server-old');
  expect(run(old.state, { type: 'wake' }).state.phase).toBe('opening');
});

test('signed out: only a sign-in, or the user, tries again', () => {
  const out = run(UP, { type: 'signed-out' }).state;
  expect(run(out, { type: 'wake' }, { type: 'timer', name: 'backoff' }, { type: 'start' }).state.phase).toBe('signed-out');
  expect(run(out, { type: 'signed-in' }).state).toMatchObject({ phase: 'opening', tries: 0 });
  expect(run(out, { type: 'retry' }).state.phase).toBe('opening');
});

test('in every phase, whatever comes: one socket at most, and no timer that belongs to another phase', () => {
  const events: (LinkEvent | ((at: LinkState) => LinkEvent))[] = [
    { type: 'start' },
    opened,
    welcome,
    closed(),
    closed(CLOSE.revoked),
    { type: 'door', answer: 'silent' },
    { type: 'door', answer: 'signed-out' },
    { type: 'wake' },
    { type: 'hide' },
    { type: 'holding', some: true },
    { type: 'holding', some: false },
    (at) => ({ type: 'welcome', socket: at.socket, protocol: 0 }),
    { type: 'retry' },
    { type: 'signed-in' },
    { type: 'signed-out' },
    { type: 'stop' },
    ...(['deadline', 'ping', 'pong', 'backoff', 'stable', 'rest'] as const).map((name): LinkEvent => ({ type: 'timer', name })),
  ];
  let seed = 7;
  const wrong: string[] = [];
  let state = OFF;
  let open = 0;
  for (let step = 0; step < 5_000; step++) {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    const event = events[seed % events.length]!;
    const given = typeof event === 'function' ? event(state) : event;
    const next = link(state, given);
    if (given.type === 'closed' && ['opening', 'greeting', 'up'].includes(state.phase)) open -= 1;
    for (const effect of next.effects) open += effect.type === 'connect' ? 1 : effect.type === 'drop' ? -1 : 0;
    const wanted = ['opening', 'greeting', 'up'].includes(next.state.phase) ? 1 : 0;
    if (open !== wanted) wrong.push(`step ${step}: ${state.phase} × ${given.type} → ${next.state.phase} with ${open} sockets`);
    state = next.state;
  }
  expect(wrong.slice(0, 3)).toEqual([]);
});
