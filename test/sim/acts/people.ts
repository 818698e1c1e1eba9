/** What people do in a tab. Each is a command as a component gives it, with nobody waiting for its end. */
import type { ContentPart } from '#shared/protocol/content.ts';
import { MODES } from '#shared/protocol/records.ts';
import type { ReceiptView } from '../../../app/sync/views.ts';
import type { Chance } from '../chance.ts';
import { wordsOf } from '../oracle.ts';
import { WORKSPACE } from '../model.ts';
import type { SimTab } from '../tab.ts';

const text = (words: string): ContentPart[] => [{ type: 'text', text: words }];

/** Sessions that this tab shows. */
function sessionsIn(tab: SimTab): string[] {
  return [...tab.screen.rows.keys()];
}
/** The open one, or any. */
function someSession(tab: SimTab, chance: Chance): string | undefined {
  const open = tab.screen.view.sessionId;
  return open !== null && chance.is(0.8) ? open : chance.pick(sessionsIn(tab));
}
function hand(tab: SimTab, sessionId: string, inputId: string, words: string, kind: 'prompt' | 'edit', done: Promise<unknown>): void {
  const { world } = tab;
  world.doing(
    tab,
    kind,
    done.then(() => {
      if (!tab.dead) world.words.handedOver({ words, device: tab.place, tab, sessionId, inputId, kind });
    }),
  );
}

/** The words at a receipt are let go by somebody who sees them. */
function letGo(tab: SimTab, receipt: ReceiptView): void {
  const seen = [receipt.content, receipt.conflict, receipt.heldContent].map((content) => wordsOf({ content: [...(content ?? [])] }));
  tab.world.words.excuse(({ inputId, words }) => inputId === receipt.id || seen.includes(words), 'let go');
}

export const PEOPLE = {
  send: 26,
  'send-twice': 2,
  edit: 4,
  cancel: 5,
  undo: 2,
  move: 2,
  convert: 3,
  resend: 3,
  discard: 1,
  dismiss: 1,
  choose: 2,
  create: 3,
  fork: 1,
  patch: 3,
  delete: 0.6,
  stop: 4,
  resume: 4,
  decide: 6,
  open: 7,
  close: 1,
  page: 3,
  jump: 1,
  draft: 1,
  hide: 2,
  show: 3,
  retry: 1,
} as const;
export type PeopleAct = keyof typeof PEOPLE;
/** In a short history, where what is rare must come soon. */
export const SHORT_PEOPLE: Readonly<Record<PeopleAct, number>> = { ...PEOPLE, edit: 8, choose: 4, decide: 9, create: 4 };

/** Answers what was done, for reading; null: there was nothing to do it to. */
export function doInTab(tab: SimTab, act: PeopleAct, chance: Chance): string | null {
  const { world, commands, screen } = tab;
  const { view } = screen;
  const sessionId = someSession(tab, chance);
  const receipt = chance.pick(view.receipts);
  const open = view.sessionId;
  const doing = (done: Promise<unknown>): void => world.doing(tab, act, done);
  switch (act) {
    case 'send':
    case 'send-twice': {
      if (sessionId === undefined) return null;
      const words = world.words.fresh();
      const delivery = chance.is(0.6) ? 'steer' : 'queue';
      const id = commands.newId();
      hand(tab, sessionId, id, words, 'prompt', commands.send(sessionId, text(words), delivery, id));
      if (act === 'send-twice') doing(commands.send(sessionId, text(words), delivery, id));
      return `${words} as ${delivery} to ${world.nameOf(sessionId)} (${world.nameOf(id)})`;
    }
    case 'edit': {
      if (receipt === undefined || open === null) return null;
      const words = world.words.fresh();
      letGo(tab, receipt);
      hand(tab, open, receipt.id, words, 'edit', commands.editInput(open, receipt.id, text(words)));
      return `${world.nameOf(receipt.id)} to ${words}`;
    }
    case 'cancel':
      if (receipt === undefined || open === null) return null;
      letGo(tab, receipt);
      doing(commands.cancelInput(open, receipt.id));
      return world.nameOf(receipt.id);
    case 'undo': {
      const undoable = chance.pick(view.receipts.filter((one) => one.undoable));
      if (undoable === undefined || open === null) return null;
      doing(commands.undoCancel(open, undoable.id));
      return world.nameOf(undoable.id);
    }
    case 'move': {
      const queued = view.receipts.filter(({ lane }) => lane === 'tray');
      const moved = chance.pick(queued);
      if (moved === undefined || open === null) return null;
      const after = chance.pick([null, ...queued.filter((one) => one !== moved).map(({ id }) => id)]) ?? null;
      doing(commands.moveInput(open, moved.id, after));
      return `${world.nameOf(moved.id)} behind ${after === null ? 'none' : world.nameOf(after)}`;
    }
    case 'convert':
      if (receipt === undefined || open === null) return null;
      doing(commands.convertInput(open, receipt.id, receipt.delivery === 'steer' ? 'queue' : 'steer'));
      return world.nameOf(receipt.id);
    case 'resend':
    case 'discard': {
      const stuck = chance.pick(view.receipts.filter(({ stage }) => stage === 'refused' || stage === 'expired' || stage === 'orphaned'));
      if (stuck === undefined || open === null) return null;
      if (act === 'discard') letGo(tab, stuck);
      doing(act === 'resend' ? commands.resendInput(open, stuck.id) : commands.discardInput(open, stuck.id));
      return world.nameOf(stuck.id);
    }
    case 'dismiss':
      if (receipt === undefined || open === null) return null;
      doing(commands.dismissNote(open, receipt.id));
      return world.nameOf(receipt.id);
    case 'choose': {
      const torn = chance.pick(view.receipts.filter(({ conflict }) => conflict !== null));
      if (torn === undefined || open === null) return null;
      world.count('conflict');
      const which = chance.is(0.5) ? 'here' : 'elsewhere';
      letGo(tab, torn);
      doing(commands.chooseEdit(open, torn.id, which));
      return `${which} for ${world.nameOf(torn.id)}`;
    }
    case 'create': {
      if (world.sessions >= 6) return null;
      world.sessions++;
      const id = commands.newId();
      doing(
        commands.createSession(
          { workspace: WORKSPACE, title: `s${world.sessions}`, mode: chance.pick(['ask', 'auto', 'auto'] as const)! },
          id,
        ),
      );
      doing(commands.open(id));
      return world.nameOf(id);
    }
    case 'fork': {
      const last = view.chunks.at(-1);
      if (last === undefined || open === null || world.sessions >= 6) return null;
      world.sessions++;
      const id = commands.newId();
      const words = world.words.fresh();
      const prompt = chance.is(0.6) ? { id: commands.newId(), content: text(words) } : null;
      doing(
        commands.turnEnd(open, chance.pick(view.chunks)!.seq).then(async (seq) => {
          if (seq === null || tab.dead) return;
          await commands.forkSession({ workspace: WORKSPACE, origin: { sessionId: open, seq } }, prompt, id);
          world.count('fork');
          if (prompt !== null && !tab.dead)
            world.words.handedOver({ words, device: tab.place, tab, sessionId: id, inputId: prompt.id, kind: 'prompt' });
        }),
      );
      return `${world.nameOf(open)} as ${world.nameOf(id)}`;
    }
    case 'patch':
      if (sessionId === undefined) return null;
      doing(
        commands.patchSession(
          sessionId,
          chance.pick([
            { title: world.words.fresh() },
            { archived: chance.is(0.5) },
            { pinned: chance.is(0.5) },
            { mode: chance.pick(MODES)! },
            { model: chance.is(0.5) ? 'scripted' : null },
          ])!,
        ),
      );
      return world.nameOf(sessionId);
    case 'delete':
      if (sessionId === undefined || sessionsIn(tab).length < 2) return null;
      world.words.excuse((one) => one.sessionId === sessionId, 'its session was deleted');
      world.deleted.add(sessionId);
      doing(commands.deleteSession(sessionId));
      return world.nameOf(sessionId);
    case 'stop':
    case 'resume':
      if (sessionId === undefined) return null;
      doing(act === 'stop' ? commands.stop(sessionId) : commands.resume(sessionId));
      return world.nameOf(sessionId);
    case 'decide': {
      const asked = chance.pick(view.approvals);
      if (asked === undefined || open === null) return null;
      doing(commands.decide(open, asked.id, chance.is(0.7) ? 'allow' : 'deny', chance.is(0.2)));
      return asked.name;
    }
    case 'open': {
      const next = chance.pick(sessionsIn(tab));
      if (next === undefined) return null;
      doing(commands.open(next));
      return world.nameOf(next);
    }
    case 'close':
      doing(commands.open(null));
      return '';
    case 'page':
      if (open === null) return null;
      commands.atTail(chance.is(0.3));
      doing(chance.is(0.6) ? commands.loadOlder() : chance.is(0.5) ? commands.loadNewer() : commands.toTail());
      return '';
    case 'jump':
      if (open === null || view.total === 0) return null;
      doing(commands.showAt(chance.whole(1, view.total)));
      return '';
    case 'draft':
      if (sessionId === undefined) return null;
      commands.saveDraft(sessionId, 'a draft');
      return '';
    case 'hide':
    case 'show':
      if (tab.visible === (act === 'show')) return null;
      if (act === 'show') tab.show();
      else tab.hide();
      return '';
    case 'retry':
      commands.retryLink();
      return '';
  }
}
