/** Forks: a session made of another's history, and where it may be cut. */
import type { CreateSessionBody } from '#shared/protocol/requests.ts';
import { isEvent, type LogRecord } from '#shared/protocol/records.ts';
import { ROUTES } from '#shared/protocol/routes.ts';
import type { Command, NewRow } from '../own/port.ts';
import type { Commands, ForkPrompt, NewFork } from './commands.ts';
import type { Engine } from './engine.ts';
import { kick, rowOf } from './own-rows.ts';

/** Shown chunks that one look takes: a turn is seldom longer. */
const LOOK = 200;

export function forkCommands(engine: Engine): Pick<Commands, 'forkSession' | 'turnEnd'> {
  const { own } = engine.parts;
  return {
    async forkSession(fork: NewFork, prompt: ForkPrompt | null, id: string): Promise<void> {
      const body: CreateSessionBody = { ...fork };
      const rows: NewRow[] = [await rowOf(engine, id, id, { kind: 'create', body })];
      if (prompt !== null) {
        // in a session that nobody has seen yet there is nothing to have been seen, and no turn to aim at
        const command: Command = { kind: 'input', content: prompt.content, delivery: 'steer', seenSeq: 0 };
        rows.push(await rowOf(engine, prompt.id, id, command));
      }
      await own.addAll(rows);
      await kick(engine);
    },
    turnEnd: (sessionId, seq) => turnEnd(engine, sessionId, seq),
  };
}

/** Walks up from `seq`, through what is here, and over holes through what the server answers. */
async function turnEnd(engine: Engine, sessionId: string, seq: number): Promise<number | null> {
  const { mirror } = engine.parts;
  let turnId: string | null = null;
  for (let at = seq - 1; ;) {
    let { records } = await mirror.readAfter(sessionId, at, LOOK);
    if (records.length === 0) {
      const { cursor, summary } = await mirror.projections(sessionId);
      const isEnd = turnId !== null && at >= cursor.seq && at >= (summary?.head ?? 0);
      // of a copied turn there is no word that it has settled: it ends where the log does
      if (isEnd) return summary?.turnId === turnId ? null : at;
      const answer = await engine.http.ask('GET', `${ROUTES.log(sessionId)}?after=${at}`);
      if (answer.kind !== 'ok') return null;
      ({ records } = answer.value as { records: LogRecord[] });
      if (records.length === 0) return null;
    }
    for (const record of records) {
      if (record.turnId === null) continue;
      turnId ??= record.turnId;
      if (record.turnId !== turnId) return record.seq - 1;
      if (isEvent(record, 'turn-settled')) return record.seq;
    }
    at = records.at(-1)!.seq;
  }
}
