/** The workload: what users do at random, and what brings a point about. Each call does one thing and may find the server dead. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Chain } from './chain.ts';
import { WISHES, type Wish } from './model.ts';
import type { Cause } from './points.ts';
import type { SeenSession } from './witness.ts';

const MODES = ['auto', 'ask', 'auto', 'accept-edits'];
const SESSIONS = 4;

/** A session that lives, made if there are too few. */
async function sessionFor({ user, witness }: Chain, mode: string | null): Promise<SeenSession> {
  const living = witness.living.filter((session) => mode === null || session.mode === mode);
  const found = witness.living.length < SESSIONS && user.chance(0.3) ? undefined : user.one(living);
  return found ?? user.create(mode ?? user.one(MODES)!);
}

/** `count` things at random, some of them at the same moment: what waits together shares a commit. */
export async function wander(chain: Chain, count: number): Promise<void> {
  const { server, user, witness } = chain;
  for (let n = 0; n < count && server.alive; n++) {
    const others = user.chance(0.4) ? witness.living.slice(0, 3) : [];
    const sessions = new Set([await sessionFor(chain, null), ...others]);
    await Promise.all([...sessions].map((session) => something(chain, session)));
    if (user.chance(0.4)) await sleep(chain.random.unit() * 60);
  }
}
async function something(chain: Chain, session: SeenSession): Promise<void> {
  const { user } = chain;
  const dice = chain.random.unit();
  if (dice < 0.5) await user.prompt(session, user.one(WISHES)!, user.chance(0.6) ? 'steer' : 'queue');
  else if (dice < 0.54) await user.prompt(session, 'say', 'queue', { resume: false });
  else if (dice < 0.58) await user.prompt(session, 'say', 'steer', { seenSeq: 0 });
  else if (dice < 0.66) await editOne(chain, session);
  else if (dice < 0.72) await cancelOne(chain, session);
  else if (dice < 0.78) await user.stop(session);
  else if (dice < 0.86) await user.resume(session);
  else if (dice < 0.93) await decideOne(chain, session);
  else if (dice < 0.95) await user.change(session);
  else if (dice < 0.98) await user.fork(session);
  else await user.remove(session);
}

/** One round of what leads to a point of this cause. */
export async function provoke(chain: Chain, cause: Cause): Promise<void> {
  const { user } = chain;
  switch (cause) {
    case 'create':
      await user.create(user.one(MODES)!);
      break;
    case 'fork': {
      const origin = user.one(chain.witness.living.filter((session) => session.ends.length > 0));
      await (origin === undefined ? ready(chain, 'auto', 'run') : user.fork(origin));
      break;
    }
    case 'change':
      await user.change(await sessionFor(chain, null));
      break;
    case 'delete':
      await user.remove(await user.create('auto'));
      break;
    case 'prompt':
      await ready(chain, 'auto', user.one(['say', 'think', 'run'])!);
      break;
    case 'fault':
      await ready(chain, 'auto', 'fault');
      break;
    case 'tools':
      await ready(chain, 'auto', user.one(['run', 'side', 'chain'])!);
      break;
    case 'steer': {
      const session = await ready(chain, 'auto', 'long');
      await sleep(100);
      await user.prompt(session, 'say', 'steer');
      break;
    }
    case 'edit':
    case 'cancel': {
      const session = await ready(chain, 'auto', 'slow');
      await user.prompt(session, 'say', 'queue');
      await (cause === 'edit' ? editOne(chain, session) : cancelOne(chain, session));
      break;
    }
    case 'stop':
      await user.stop(await ready(chain, 'auto', 'slow'));
      break;
    case 'resume': {
      const session = await ready(chain, 'auto', 'slow');
      await user.stop(session);
      await Promise.all([user.resume(session), user.resume(session)]);
      break;
    }
    case 'ask': {
      const session = await ready(chain, 'ask', user.one(['run', 'side'])!);
      for (let n = 0; n < 20 && chain.server.alive && !(await decideOne(chain, session)); n++) await sleep(20);
      break;
    }
    case 'cut':
      // What the life before left is gone on with; nothing is to be done but to wait, or to bring more.
      await sleep(100);
      await ready(chain, 'auto', 'slow');
      break;
  }
  await sleep(20);
}

/** A prompt into a session of that mode that is not paused. */
async function ready(chain: Chain, mode: string, wish: Wish): Promise<SeenSession> {
  const { user } = chain;
  const session = await sessionFor(chain, mode);
  await user.prompt(session, wish, 'steer');
  return session;
}

async function editOne({ user }: Chain, session: SeenSession): Promise<void> {
  const input = user.one(session.pending);
  if (input !== undefined) await user.edit(session, input);
}
/** Now and then one that never arrived. */
async function cancelOne({ user }: Chain, session: SeenSession): Promise<void> {
  const input = user.chance(0.85) ? user.one(session.pending) : user.id();
  if (input !== undefined) await user.cancel(session, input);
}
/** True: there was a question, and it was answered; one in five stays open. */
async function decideOne({ user }: Chain, session: SeenSession): Promise<boolean> {
  const approval = (await user.timeline(session))?.approvals[0];
  if (approval === undefined) return false;
  if (user.chance(0.8)) await user.decide(session, approval, user.chance(0.7) ? 'allow' : 'deny');
  return true;
}
