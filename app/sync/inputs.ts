/** Commands about inputs. */
import type { ContentPart } from '#shared/protocol/content.ts';
import type { Delivery } from '#shared/protocol/records.ts';
import { newId } from '#shared/ids.ts';
import type { Command, OutboxRow } from '../own/port.ts';
import type { Drafts } from './drafts.ts';
import { changeInput, chooseEdit, dropRefused } from './edits.ts';
import type { Engine } from './engine.ts';
import { within } from '../disk/within.ts';
import { kick, rowOf } from './own-rows.ts';
import { cancelInput, undoCancel } from './undo.ts';

/** Milliseconds; what nobody could tell by then counts as nothing seen, which wakes no pause. */
const SEEN_WITHIN = 1_000;

export function inputCommands(engine: Engine, drafts: Drafts) {
  const { clock, random, timers, own, mirror } = engine.parts;
  const find = (id: string): OutboxRow | undefined => engine.rows().find((row) => row.id === id);
  /** What is in step knows it; a mirror that another window holds up must not keep somebody waiting who pressed Send. */
  async function seenSeq(sessionId: string): Promise<number> {
    const replica = engine.replica(sessionId);
    if (replica !== null && replica.state.phase !== 'down') return replica.state.cursor.seq;
    const asked = mirror.projections(sessionId).then(({ cursor }) => cursor.seq);
    return within(timers, SEEN_WITHIN, asked, () => new Error('the mirror does not answer')).catch(() => 0);
  }
  /** What a prompt was written for: the turn seen running. With own words still on their way, nobody can say. */
  function aim(sessionId: string, delivery: Delivery): { aimedTurnId?: string | null } {
    if (delivery === 'queue' || engine.rows().some((row) => row.sessionId === sessionId && row.command.kind === 'input')) return {};
    const summary = engine.list.summary(sessionId);
    return summary === null ? {} : { aimedTurnId: summary.turnId };
  }

  return {
    async send(sessionId: string, content: ContentPart[], delivery: Delivery, id = newId(clock, random)): Promise<string> {
      const command: Command = { kind: 'input', content, delivery, seenSeq: await seenSeq(sessionId), ...aim(sessionId, delivery) };
      await own.add(await rowOf(engine, id, sessionId, command), true);
      drafts.sent(sessionId);
      await kick(engine);
      return id;
    },
    editInput: (sessionId: string, inputId: string, content: ContentPart[]) => changeInput(engine, sessionId, inputId, { content }),
    convertInput: (sessionId: string, inputId: string, delivery: Delivery) => changeInput(engine, sessionId, inputId, { delivery }),
    moveInput: (sessionId: string, inputId: string, after: string | null) => changeInput(engine, sessionId, inputId, { after }),
    chooseEdit: (sessionId: string, inputId: string, words: 'here' | 'elsewhere') => chooseEdit(engine, sessionId, inputId, words),
    cancelInput: (sessionId: string, inputId: string) => cancelInput(engine, sessionId, inputId),
    undoCancel: (sessionId: string, inputId: string) => undoCancel(engine, sessionId, inputId),
    async resendInput(sessionId: string, inputId: string): Promise<void> {
      const row = find(inputId);
      if (row === undefined || row.sessionId !== sessionId) return;
      if (row.command.kind === 'edit') {
        const again: Command = {
          kind: 'input',
          content: row.command.content ?? [],
          delivery: 'queue',
          seenSeq: await seenSeq(sessionId),
        };
        await own.replace(row.id, await rowOf(engine, newId(clock, random), sessionId, again));
      } else if (row.code === 'id-conflict' || row.state === 'cancelled') {
        await own.replace(row.id, await rowOf(engine, newId(clock, random), sessionId, row.command));
      } else {
        const afresh = row.state === 'orphaned' ? { attempted: null } : {};
        const states = ['refused', 'expired', 'orphaned'] as const;
        await own.change(row.id, { state: 'held', confirmed: true, code: null, reason: null, ...afresh }, { states });
      }
      await kick(engine);
    },
    async discardInput(_sessionId: string, inputId: string): Promise<void> {
      const about = engine.rows().filter((row) => 'inputId' in row.command && row.command.inputId === inputId);
      // A cancel that the server has not heard of still has to be heard.
      await own.remove(about.filter(({ command, state }) => command.kind !== 'cancel' || state === 'cancelled').map(({ id }) => id));
      await own.remove([inputId]);
      await kick(engine);
    },
    async dismissNote(_sessionId: string, inputId: string): Promise<void> {
      await dropRefused(engine, inputId);
      await own.change(inputId, { code: null }, { states: ['acked'] });
      await engine.rowsChanged();
    },
  };
}
