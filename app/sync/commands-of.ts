/** The commands, over an engine. */
import { newId } from '#shared/ids.ts';
import { ROUTES } from '#shared/protocol/routes.ts';
import type { CreateSessionBody } from '#shared/protocol/requests.ts';
import type { Command } from '../own/port.ts';
import { asked, asksOf } from './asks.ts';
import type { Asked, Commands, NewSession, SessionPatch } from './commands.ts';
import { deviceCommands } from './devices.ts';
import type { Engine } from './engine.ts';
import { forkCommands } from './forks.ts';
import { inputCommands } from './inputs.ts';
import { ownDevice } from './losses.ts';
import { NOTICES } from './notices.ts';
import { enqueue, kick, rowOf } from './own-rows.ts';
import { baseOf } from './repatch.ts';

export interface CommandParts {
  engine: Engine;
  /** What this device is called in the list of devices. */
  deviceName: string;
  /** Asks the browser, once, not to clear this device's copy when space runs out. Absent: there is nobody to ask. */
  askToKeep?: () => void;
}

export function commandsOf({ engine, deviceName, askToKeep }: CommandParts): Commands {
  const { clock, random, own, screen } = engine.parts;
  const { drafts } = engine;
  const inputs = inputCommands(engine, drafts);

  return {
    newId: () => newId(clock, random),
    async createSession(draft: NewSession, id = newId(clock, random)): Promise<string> {
      const body: CreateSessionBody = { ...draft };
      await own.add(await rowOf(engine, id, id, { kind: 'create', body }), false);
      await kick(engine);
      return id;
    },
    async patchSession(sessionId: string, patch: SessionPatch): Promise<void> {
      const summary = engine.list.summary(sessionId);
      const behindOthers = engine.rows().some((row) => row.sessionId === sessionId && row.command.kind === 'patch');
      const knows = summary !== null && !behindOthers;
      const command: Command = knows
        ? { kind: 'patch', patch: { ...patch, baseRev: summary.rev }, base: baseOf(patch, summary) }
        : { kind: 'patch', patch };
      await enqueue(engine, sessionId, command);
    },
    async deleteSession(sessionId: string): Promise<void> {
      const rows = engine.rows().filter((row) => row.sessionId === sessionId);
      const create = rows.find((row) => row.command.kind === 'create');
      // Made here and never tried: nobody else knows of it. Else the server is told, also of an id it may not have yet.
      await own.remove(rows.filter((row) => row.state !== 'sending' && row.state !== 'acked').map(({ id }) => id));
      if (create === undefined || create.attempted !== null) return enqueue(engine, sessionId, { kind: 'delete' });
      return kick(engine);
    },
    ...inputs,
    // Whoever writes here means to come back: now the browser may be asked, and some browsers ask the user.
    async send(sessionId, content, delivery, id) {
      const sent = await inputs.send(sessionId, content, delivery, id);
      askToKeep?.();
      return sent;
    },
    ...forkCommands(engine),

    async stop(sessionId: string): Promise<void> {
      const turnId = engine.list.summary(sessionId)?.turnId ?? null;
      if (turnId !== null) await enqueue(engine, sessionId, { kind: 'stop', turnId });
    },
    async resume(sessionId: string): Promise<void> {
      const paused = engine.list.summary(sessionId)?.paused ?? null;
      if (paused !== null) await enqueue(engine, sessionId, { kind: 'resume', pausedSeq: paused.seq });
    },
    decide: (sessionId, approvalId, decision, remember) => enqueue(engine, sessionId, { kind: 'decide', approvalId, decision, remember }),

    open: (sessionId, at) => engine.open(sessionId, at),
    showAt: async (seq) => (await engine.transcript()?.showAt(seq)) ?? false,
    loadOlder: async () => engine.transcript()?.loadOlder(),
    loadNewer: async () => engine.transcript()?.loadNewer(),
    atTail: (at) => engine.transcript()?.atTail(at),
    toTail: async () => engine.transcript()?.toTail(),

    draft: (sessionId) => drafts.read(sessionId),
    saveDraft: (sessionId, text) => drafts.save(sessionId, text),
    watchDraft: (sessionId, hear) => drafts.watch(sessionId, hear),

    ...asksOf(engine),
    ...deviceCommands(engine.http),
    async signIn(token: string): Promise<Asked<null>> {
      const answer = await engine.http.ask('POST', ROUTES.device(), { token, name: deviceName });
      if (answer.kind === 'ok') {
        const { device } = answer.value as { device?: { id: string } };
        await engine.signedIn(device?.id ?? null);
      }
      return asked(answer, () => null);
    },
    async signOut(): Promise<void> {
      const id = (await own.fact('device')) ?? (await ownDevice(engine.http));
      const answer = id === null ? null : await engine.http.ask('DELETE', ROUTES.deviceById(id));
      await engine.forget();
      if (answer === null || answer.kind === 'trouble') screen.notice(NOTICES.signOutUntold());
    },
    chunkLimit: () => engine.limit.value,
    setChunkLimit: (limit) => engine.setChunkLimit(limit),
    pauseCopying: (paused) => engine.copying.pause(paused),
    hintsAway: async () => (await own.fact('hintsAway')) ?? [],
    putHintAway: async (id) => own.setFact('hintsAway', [...new Set([...((await own.fact('hintsAway')) ?? []), id])]),
    retryLink: () => engine.link.dispatch({ type: 'retry' }),
  };
}
