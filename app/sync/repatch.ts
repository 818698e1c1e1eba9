/** A change of a session that knew an older one: it is no conflict unless both change the same. */
import { newId } from '#shared/ids.ts';
import type { SessionSummary } from '#shared/protocol/summaries.ts';
import type { SessionPatchBody } from '../own/bodies.ts';
import type { OutboxRow } from '../own/port.ts';
import type { SessionPatch } from './commands.ts';
import type { Engine } from './engine.ts';
import { kick, rowOf } from './own-rows.ts';

/** What is there now, of what a patch changes. */
export function baseOf(patch: SessionPatch, summary: SessionSummary): SessionPatchBody {
  return Object.fromEntries(Object.keys(patch).map((key) => [key, summary[key as keyof SessionPatch]]));
}

/** Nobody else changed the same: it is made again over what is there now. Answers whether it was. */
export async function repatch(engine: Engine, row: OutboxRow, details: unknown): Promise<boolean> {
  const { clock, random, own } = engine.parts;
  if (row.command.kind !== 'patch' || row.command.base === undefined) return false;
  if (typeof details !== 'object' || details === null || !('current' in details)) return false;
  const current = details.current as SessionSummary;
  const { base } = row.command;
  if (JSON.stringify(baseOf(base, current)) !== JSON.stringify(base)) return false;
  const patch = { ...row.command.patch, baseRev: current.rev };
  await own.replace(row.id, await rowOf(engine, newId(clock, random), row.sessionId, { kind: 'patch', patch, base }));
  await kick(engine);
  return true;
}
