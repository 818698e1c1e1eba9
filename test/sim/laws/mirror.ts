/** Law 7: a device's cursor never outruns its rows, and its rows are the server's, byte by byte, of the history it says they are of. */
import type { LogRecord } from '#shared/protocol/records.ts';
import type { SimDevice } from '../device.ts';
import { MemoryDisk } from '../disk.ts';

/** Records of a mirror that were found to be the server's. */
const same = new WeakMap<LogRecord, string>();

function isServers(device: SimDevice, epoch: string, record: LogRecord): boolean {
  if (same.get(record) === epoch) return true;
  const text = JSON.stringify(record);
  const found = device.world.oracle.logsOf(epoch, record.sessionId).some(({ texts }) => texts[record.seq - 1] === text);
  if (found) same.set(record, epoch);
  return found;
}

/** After every step, where it costs nothing to look: in memory. */
export function lookAtTables(device: SimDevice): void {
  const { disk, world } = device;
  if (!(disk instanceof MemoryDisk)) return;
  const { meta, pages } = disk.tables;
  const epoch = (meta.get('facts') as { epoch: string | null } | undefined)?.epoch ?? null;
  const tops = new Map<string, number[]>();
  for (const { sessionId, run } of pages.values()) {
    if (epoch === null) return world.fault('law-07', `${device.name} holds records of no history`);
    const alien = run.records.find((record) => !isServers(device, epoch, record));
    if (alien !== undefined)
      return world.fault('law-07', `${device.name} holds seq ${alien.seq} of ${sessionId} as no server of ${epoch} ever sealed it`);
    const hole = run.records.findIndex((record, at) => record.seq !== run.from + at);
    if (hole >= 0 || run.records.length !== run.to - run.from + 1)
      return world.fault('law-07', `${device.name} has a page of ${sessionId} with a hole`);
    tops.set(sessionId, [...(tops.get(sessionId) ?? []), run.from, run.to]);
  }
  for (const [key, value] of meta) {
    const cursor = key.startsWith('log/') ? (value as { cursor?: { seq: number; lastId: string | null } }).cursor : undefined;
    if (cursor === undefined || cursor.seq === 0) continue;
    const sessionId = key.slice('log/'.length);
    const ends = tops.get(sessionId) ?? [];
    if (!ends.includes(cursor.seq))
      return world.fault('law-07', `${device.name} is at ${cursor.seq} of ${sessionId}, and holds no record there`);
    const known = world.oracle.logsOf(epoch ?? '', sessionId);
    if (!known.some(({ records }) => records[cursor.seq - 1]?.id === cursor.lastId))
      return world.fault('law-07', `${device.name} says that seq ${cursor.seq} of ${sessionId} is ${cursor.lastId}`);
  }
}

/** At the end: all of every log, and nothing else. Answers what is missing; null: nothing. */
export async function missingIn(device: SimDevice): Promise<string | null> {
  const { world } = device;
  const { mirror } = device.disk;
  const { epoch } = await mirror.facts();
  const { now } = world.oracle;
  if (epoch !== now.epoch) return `${device.name} mirrors ${epoch}, not ${now.epoch}`;
  const listed = new Set((await mirror.sessions()).map(({ id }) => id));
  for (const [id, truth] of now.sessions) {
    if ('deleted' in truth.entry) {
      if (listed.has(id)) return `${device.name} still lists ${id}, which is deleted`;
      continue;
    }
    if (!listed.has(id)) return `${device.name} does not list ${id}`;
    const summary = (await mirror.sessions()).find((one) => one.id === id)!.summary;
    const said = { ...truth.entry, lastWords: '' };
    for (const key of ['title', 'mode', 'status', 'turnId', 'head', 'total', 'archived', 'pinned', 'rev', 'model'] as const)
      if (JSON.stringify(summary[key]) !== JSON.stringify(said[key]))
        return `${device.name} says ${key} ${JSON.stringify(summary[key])} of ${id}, the server ${JSON.stringify(said[key])}`;
    const head = truth.records.length;
    const { records, from } = await mirror.readBefore(id, head + 1, Number.MAX_SAFE_INTEGER);
    if (head > 0 && (from !== 1 || records.length !== head)) return `${device.name} has of ${id} only ${records.length} of ${head} records`;
    const other = records.findIndex((record, at) => JSON.stringify(record) !== truth.texts[at]);
    if (other >= 0) return `${device.name} has another record ${other + 1} of ${id} than the server`;
    const { inputs } = await mirror.projections(id);
    const pending = [...now.inputs.values()].filter((receipt) => receipt.sessionId === id && receipt.state === 'pending');
    const [here, there] = [inputs, pending].map((list) =>
      list
        .map((receipt) => receipt.id)
        .toSorted()
        .join(' '),
    );
    const subscribed = device.tabs.some((tab) => tab.engine.replica(id)?.state.phase === 'live');
    if (subscribed && here !== there) return `${device.name} says that ${here} waits in ${id}, the server ${there}`;
  }
  return null;
}
