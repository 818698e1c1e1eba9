/**
 * Known faults of this kind, each a small change of a source that a tired person might make. The simulation has to see every one of
 * them (`npm run sim:mutants`): what it cannot see, it does not prove the absence of.
 */

export interface Mutant {
  name: string;
  /** From the project's root. */
  file: string;
  /** Stands in the file exactly once. */
  find: string;
  put: string;
  /** The law that it breaks. Another may see it first. */
  law: string;
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a row retires when its request is answered, not when its chunk is mirrored',
    file: 'app/sync/outbox.ts',
    find: "else if (receipt.state === 'promoted' && (await this.#parts.isMirrored(row.id, receipt))) await this.#parts.own.remove([row.id]);",
    put: 'else if (row !== undefined) await this.#parts.own.remove([row.id]);',
    law: 'law-03',
  },
  {
    name: 'the cursor moves, and the rows are not written',
    file: 'app/mirror/apply.ts',
    find: '    ...[...pages].map(([page, run]) => putPage(page, run)),\n    session !== undefined && summary',
    put: '    session !== undefined && summary',
    law: 'law-07',
  },
  {
    name: 'an id is enough: the payload of a retry is not compared',
    file: 'server/inbox/admit.ts',
    find: '(known.payloadHash === null || known.payloadHash === admission.payloadHash)',
    put: 'true',
    law: 'law-01',
  },
  {
    name: 'what streamed stays in view after it was sealed',
    file: 'app/sync/live.ts',
    find: 'if (left !== null) left = isDone(done, left) ? null : unsealed(left, done);',
    put: '',
    law: 'law-14',
  },
  {
    name: 'a flush marks its rows without a fence',
    file: 'app/own/memory.ts',
    find: 'if (only?.fence !== undefined && only.fence !== fence) return false;',
    put: '',
    law: 'law-16',
  },
  {
    name: 'a prompt expires by the clock of its device alone',
    file: 'app/sync/age.ts',
    find: 'if (!agrees(clock.skew) || !agrees(row.skew) || clock.now < clock.latest - CLOCK_TOLERANCE) return null;',
    put: '',
    law: 'law-16',
  },
  {
    name: "a portal's answer counts as the server's",
    file: 'app/sync/http.ts',
    find: "  if (epoch === null || epoch === '') return other;\n",
    put: "  if (epoch === null || epoch === '') return status < 300 ? { kind: 'ok', status, value: null, epoch: '' } : { kind: 'refused', status, code: 'bad-request', message: text, retryable: false, details: null, epoch: '' };\n",
    law: 'law-16',
  },
  {
    name: "another history's rows are kept",
    file: 'app/mirror/rules.ts',
    find: '  await wipeIn(tx, epoch);\n}\nexport',
    put: "  await tx.setMeta('facts', { ...facts, epoch });\n}\nexport",
    law: 'law-07',
  },
  {
    name: 'records are applied past a gap',
    file: 'app/mirror/apply.ts',
    find: "  if (fresh[0]!.seq !== cursor.seq + 1) return { ok: false, reason: 'ahead' };\n",
    put: '',
    law: 'law-05',
  },
  {
    name: 'what a restored server does not know is dropped with its words',
    file: 'app/sync/outbox.ts',
    find: "await this.#move(row, { state: 'orphaned', code: verdict.code, reason }, [...OPEN, 'acked']);",
    put: 'await this.#parts.own.remove([row.id]);',
    law: 'law-03',
  },
  {
    name: 'an answer of 401 counts as a refusal',
    file: 'app/sync/orders.ts',
    find: "  if (answer.status === 401) return { type: 'signed-out', revoked: answer.code === 'device-revoked' };\n",
    put: '',
    law: 'law-16',
  },
  {
    name: 'an input that was promoted stays pending',
    file: 'server/store/sqlite/turns.ts',
    find: "work.saveInput({ ...input, state: 'promoted', promoted_seq: chunk.seq, held: 0 }, 'update');",
    put: "work.saveInput({ ...input, state: 'pending', promoted_seq: chunk.seq, held: 0 }, 'update');",
    law: 'law-01',
  },
  {
    name: 'an old prompt is shown as expired without asking the server for it',
    file: 'app/sync/outbox.ts',
    find: "row.state === 'unknown' || restored || looksOld",
    put: "row.state === 'unknown' || restored",
    law: 'law-16',
  },
  {
    name: 'a wake that comes while the session runs is lost',
    file: 'server/runner/coordinator.ts',
    find: 'if (running !== undefined) running.again = true;',
    put: 'if (running !== undefined) return;',
    law: 'law-13',
  },
  {
    name: 'a refused input is dropped with its words',
    file: 'app/sync/outbox.ts',
    find: 'await this.#move(row, { state, code: verdict.code, reason: verdict.message }, [...OPEN, ...ackedUnless(row)]);',
    put: 'await this.#parts.own.remove([row.id]);',
    law: 'law-03',
  },
  {
    name: 'what is committed during a cut-over is forgotten',
    file: 'server/sync/feed.ts',
    find: "    else if (this.#phase === 'cut-over' && this.#held.length <= HELD_COMMITS) this.#held.push(commit);\n",
    put: '',
    law: 'law-08',
  },
  {
    name: 'calls that a dead process left open get no result',
    file: 'server/runner/recovery.ts',
    find: '  const rows = openCallRows(records, turnId);\n  const next',
    put: '  const rows: RecordDraft[] = [];\n  const next',
    law: 'law-12',
  },
  {
    name: 'a paused session goes on by itself',
    file: 'server/inbox/promote.ts',
    find: '  if (paused) return NOTHING;\n',
    put: '',
    law: 'law-16',
  },
  {
    name: 'inputs of a session do not wait for each other',
    file: 'app/sync/outbox-rules.ts',
    find: "      return earlier.command.kind === 'input' && earlier.state !== 'cancelled';\n",
    put: '      return false;\n',
    law: 'law-04',
  },
  {
    name: 'a ping that nobody answers changes nothing',
    file: 'app/sync/state.ts',
    find: "    'timer pong': (state) => (state.probing ? connect(state) : stay(state)),\n",
    put: "    'timer pong': stay,\n",
    law: 'law-16',
  },
];
