/** One session inside one write transaction: what is appended to its log, and what follows from that for its row. */
import { newId } from '#shared/ids.ts';
import { wordsOf } from '#shared/protocol/content.ts';
import type { ContentPart } from '#shared/protocol/content.ts';
import { isShown } from '#shared/protocol/records.ts';
import type { EventDataByType, EventType, LogRecord } from '#shared/protocol/records.ts';
import type { Receipt, SessionSummary } from '#shared/protocol/summaries.ts';
import { isBlank, oneLine, plainLine } from '#shared/text.ts';
import type { ChunkDraft } from '#shared/chunks/explode.ts';
import type { Commit, EventDraft, RecordDraft } from '../port.ts';
import type { Core } from './core.ts';
import { encodeData, recordWith } from './data.ts';
import { entryOf, receiptOf, statusOf, summaryOf } from './rows.ts';
import type { InputRow, SessionRow } from './rows.ts';

/** Characters of `lastWords` and of a title made from a prompt. */
const LAST_WORDS = 120;
const TITLE = 60;

/** Lives as long as its transaction. `finish` writes the row once, whatever was done before. */
export class SessionWork {
  /** To be changed freely; `head`, `total`, `version`, `status` and `updated_at` are kept by this class. */
  readonly row: SessionRow;
  readonly now: number;
  readonly #core: Core;
  readonly #records: LogRecord[] = [];
  readonly #receipts = new Map<string, Receipt>();
  #changed = false;
  #version: number | null = null;

  constructor(core: Core, row: SessionRow, now: number) {
    this.#core = core;
    this.row = row;
    this.now = now;
  }

  /** Says that the row was changed: without this, a record or a receipt, `finish` writes nothing. */
  touch(): void {
    this.#changed = true;
  }

  /** Gives the draft the next seq. Answers the record as it is sent, large data by reference. */
  append(draft: RecordDraft): LogRecord {
    const { row, now } = this;
    const { text, data, blob } = encodeData(draft.data);
    if (blob !== null) this.#core.sql.insertBlob(blob.sha256, 'application/json', blob.bytes.length, blob.bytes);
    const seq = row.head + 1;
    const chunk = draft.kind === 'chunk';
    const id = chunk ? draft.id : newId({ now: () => now }, this.#core.random);
    const [step, role] = chunk ? [draft.step, draft.role] : [null, null];
    const { kind, type, turnId } = draft;
    this.#core.sql.insertRecord(row.key, seq, id, kind, turnId, step, role, type, text, now, blob?.sha256 ?? null);
    const record = recordWith(row.id, { seq, id, kind, turn_id: turnId, step, role, type, created_at: now }, type, data);
    row.head = seq;
    this.#project(draft);
    this.#records.push(record);
    this.#changed = true;
    return record;
  }

  event<T extends EventType>(type: T, turnId: string | null, data: EventDataByType[T]): LogRecord {
    return this.append({ kind: 'event', type, turnId, data } as EventDraft);
  }

  /** Writes an input's row and tells of its receipt. */
  saveInput(input: InputRow, how: 'insert' | 'update'): Receipt {
    if (how === 'insert') this.#core.sql.insertInput(input);
    else this.#core.sql.updateInput(input);
    return this.tell(input);
  }
  /** Tells of an input's receipt as it now is. */
  tell(input: InputRow): Receipt {
    const receipt = receiptOf(input, this.#core.damaged);
    this.#receipts.set(receipt.id, receipt);
    this.#changed = true;
    return receipt;
  }

  pause(reason: NonNullable<SessionRow['paused_reason']>, turnId: string | null): void {
    const record = this.event('paused', turnId, { reason });
    this.row.paused_seq = record.seq;
    this.row.paused_reason = reason;
  }
  resume(): void {
    this.event('resumed', null, {});
    this.row.paused_seq = null;
    this.row.paused_reason = null;
  }
  /** What nobody has decided can no longer be. */
  closeApprovals(): void {
    if (this.row.open_approvals === 0) return;
    for (const open of this.#core.sql.openApprovals(this.row.id)) {
      this.#core.sql.decideApproval('gone', null, open.id);
      this.event('approval-decided', open.turn_id, { approvalId: open.id, callId: open.call_id, decision: 'gone', by: null });
    }
    this.row.open_approvals = 0;
  }

  /** The session as this transaction leaves it, if nothing more is done. */
  summary(): SessionSummary {
    const { row } = this;
    const now = this.#changed ? { version: this.#drawVersion(), updated_at: this.now } : {};
    return summaryOf({ ...row, status: statusOf(row), ...now });
  }

  /** Writes the row under a new version. Null: nothing happened. */
  finish(): Commit | null {
    if (!this.#changed) return null;
    const { row, now } = this;
    row.status = statusOf(row);
    row.version = this.#drawVersion();
    row.updated_at = now;
    this.#core.sql.updateSession(row);
    return { sessionId: row.id, records: this.#records, receipts: [...this.#receipts.values()], session: entryOf(row) };
  }

  #drawVersion(): number {
    return (this.#version ??= nextVersion(this.#core));
  }

  #project(draft: RecordDraft): void {
    const { row } = this;
    if (draft.kind === 'event') {
      if (draft.type === 'wire-header') row.header = 1;
      return;
    }
    if (isShown(draft)) row.total += 1;
    const words = shownWords(draft);
    if (words !== null && !isBlank(words)) {
      row.last_words = lineOf(draft.type, words);
      // an automatic title is nobody's edit: `rev` stays, so that a rename which is under way is not stale
      if (row.title === '' && draft.type === 'prompt') row.title = oneLine(words, TITLE);
    }
    const wire = contextWire(draft);
    if (wire !== null) row.context = wire;
  }
}

/** The next number of the one counter that orders all sessions' changes: tombstones stay, so the newest is never lost. */
export function nextVersion(core: Core): number {
  return (core.sql.newestVersion()?.version ?? 0) + 1;
}

/** Shown words as one line of the list. */
function lineOf(type: string, words: string): string {
  return type === 'prompt' ? oneLine(words, LAST_WORDS) : plainLine(words, LAST_WORDS);
}
/** What the list shows of a row; null: nothing. */
export function lastWordsOf(row: Shown): string | null {
  const words = shownWords(row);
  return words === null || isBlank(words) ? null : lineOf(row.type, words);
}
type Shown = Pick<ChunkDraft, 'type' | 'role' | 'data'>;
/** The words of a prompt or of an assistant's text; null for every other row. */
function shownWords(draft: Shown): string | null {
  const data = draft.data as { content?: ContentPart[]; text?: string } | null;
  if (draft.type === 'prompt') return Array.isArray(data?.content) ? wordsOf(data.content) : null;
  return draft.type === 'text' && draft.role === 'assistant' && typeof data?.text === 'string' ? data.text : null;
}
/** The facts that a row tells the model (mode, date); null: it tells none. */
export function contextWire(draft: Pick<ChunkDraft, 'type' | 'data'>): string | null {
  const data = draft.data as { kind?: unknown; wire?: unknown } | null;
  return draft.type === 'system' && data?.kind === 'context' && typeof data.wire === 'string' ? data.wire : null;
}
