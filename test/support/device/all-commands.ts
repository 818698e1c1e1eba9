/** Every command that the outbox knows, each on what it needs on the server, and how often it was really done there. */
import { isEvent, type EventType, type LogRecord } from '#shared/protocol/records.ts';
import { clock, uuid, type HttpStand } from '../http-stand.ts';
import type { Call } from './cable.ts';
import { until, type Tab } from './device.ts';
import { DrivenTurn, prompt } from './turns.ts';

export interface Commanded {
  name: string;
  /** Changes nothing by itself on the server: the tab says it. */
  issue(tab: Tab): Promise<unknown>;
  /** How often the server did it. */
  times(): Promise<number>;
}
export const COMMAND_NAMES = [
  'create',
  'input',
  'edit',
  'cancel',
  'move',
  'convert',
  'rename',
  'archive',
  'pin',
  'delete',
  'model',
  'mode',
  'stop',
  'resume',
  'decide',
] as const;
type Name = (typeof COMMAND_NAMES)[number];

/** A request that changes something on the server. */
export const changes = ({ method, path }: Call): boolean => method !== 'GET' && !path.endsWith('/device');

/** Makes what the commands are about, and waits until the tab knows of it. */
export async function allCommands(stand: HttpStand, tab: Tab): Promise<Record<Name, Commanded>> {
  const events = async (sessionId: string, type: EventType, so: (record: LogRecord) => boolean = () => true): Promise<number> =>
    (await stand.logOf(sessionId)).filter((record) => isEvent(record, type) && so(record)).length;
  const about = (inputId: string) => (record: LogRecord) => (record.data as { inputId?: string }).inputId === inputId;
  const text = (words: string) => [{ type: 'text' as const, text: words }];
  const commands = {} as Record<Name, Commanded>;
  const add = (name: Name, issue: Commanded['issue'], times: Commanded['times']): void => {
    commands[name] = { name, issue, times };
  };
  const session = (): Promise<string> => stand.session();
  const queued = async (): Promise<{ id: string; first: string; second: string }> => {
    const id = await session();
    return { id, first: await prompt(stand, id, 'first', 'queue'), second: await prompt(stand, id, 'second', 'queue') };
  };

  const made = uuid();
  add(
    'create',
    ({ commands: c }) => c.createSession({ workspace: stand.workspace, title: 'made' }, made),
    async () => ((await stand.store.session(made)) === null ? 0 : 1),
  );
  const [talk, said] = [await session(), uuid()];
  add(
    'input',
    ({ commands: c }) => c.send(talk, text('once'), 'queue', said),
    () => events(talk, 'admitted', about(said)),
  );
  const [edit, cancel, move, convert] = [await queued(), await queued(), await queued(), await queued()];
  add(
    'edit',
    ({ commands: c }) => c.editInput(edit.id, edit.first, text('better')),
    () => events(edit.id, 'edited', about(edit.first)),
  );
  add(
    'cancel',
    ({ commands: c }) => c.cancelInput(cancel.id, cancel.first),
    () => events(cancel.id, 'cancelled', about(cancel.first)),
  );
  add(
    'move',
    ({ commands: c }) => c.moveInput(move.id, move.second, null),
    () => events(move.id, 'edited', about(move.second)),
  );
  add(
    'convert',
    ({ commands: c }) => c.convertInput(convert.id, convert.first, 'steer'),
    () => events(convert.id, 'edited', about(convert.first)),
  );
  const [rename, archive, pin, gone, model, mode] = await Promise.all([session(), session(), session(), session(), session(), session()]);
  const rev = async (id: string): Promise<number> => {
    const entry = await stand.store.session(id);
    return entry !== null && 'rev' in entry ? entry.rev : -1;
  };
  const before = new Map(await Promise.all([archive, pin].map(async (id) => [id, await rev(id)] as const)));
  add(
    'rename',
    ({ commands: c }) => c.patchSession(rename, { title: 'renamed' }),
    () => events(rename, 'renamed'),
  );
  for (const [name, id, patch] of [
    ['archive', archive, { archived: true }],
    ['pin', pin, { pinned: true }],
  ] as const) {
    add(
      name,
      ({ commands: c }) => c.patchSession(id, patch),
      async () => (await rev(id)) - before.get(id)!,
    );
  }
  add(
    'delete',
    ({ commands: c }) => c.deleteSession(gone),
    async () => {
      const entry = await stand.store.session(gone);
      return entry !== null && 'deleted' in entry ? 1 : 0;
    },
  );
  add(
    'model',
    ({ commands: c }) => c.patchSession(model, { model: 'another' }),
    () => events(model, 'model-changed'),
  );
  add(
    'mode',
    ({ commands: c }) => c.patchSession(mode, { mode: 'plan' }),
    () => events(mode, 'mode-changed'),
  );
  const [stop, resume, decide] = [await session(), await session(), await session()];
  await DrivenTurn.prompted(stand, stop, 'turn-stop');
  add(
    'stop',
    ({ commands: c }) => c.stop(stop),
    () => events(stop, 'paused'),
  );
  await DrivenTurn.prompted(stand, resume, 'turn-resume');
  await stand.call('POST', `/sessions/${resume}/interrupt`, { turnId: 'turn-resume' });
  add(
    'resume',
    ({ commands: c }) => c.resume(resume),
    () => events(resume, 'resumed'),
  );
  await prompt(stand, decide, 'go');
  const turn = await stand.store.openTurn(decide, 'a test', 'turn-decide', clock.now(), () => []);
  const approvalId = uuid();
  const ask = { turnId: 'turn-decide', step: 0, callId: 'call', name: 'run', effect: 'run' as const, summary: 'ls' };
  await stand.store.askApproval(turn!.claim, { id: approvalId, ...ask }, clock.now());
  add(
    'decide',
    ({ commands: c }) => c.decide(decide, approvalId, 'allow', false),
    () => events(decide, 'approval-decided'),
  );

  const known = [talk, edit.id, cancel.id, move.id, convert.id, rename, archive, pin, gone, model, mode, stop, resume, decide];
  await until(() => known.every((id) => tab.screen.rows.has(id)), 'the tab knows of all of it');
  await until(() => tab.engine.list.summary(stop)?.turnId === 'turn-stop', 'a turn runs');
  await until(() => tab.engine.list.summary(resume)?.paused != null, 'a session is paused');
  return commands;
}
