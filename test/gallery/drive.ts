/** Moves the transcript's stores as the engine does, from a test in a real browser: `window.drive`. */
import { emptyFold, fold, type LiveFold } from '#shared/chunks/fold.ts';
import { chunkId } from '#shared/ids.ts';
import type { StepEvent } from '#shared/protocol/agent-events.ts';
import type { ChunkRecord } from '#shared/protocol/records.ts';
import { useLinkStore } from '../../app/stores/link.ts';
import { useTranscriptStore } from '../../app/stores/transcript.ts';
import type { Stage } from '../../app/sync/views.ts';
import { Log, receiptOf, SESSION } from './transcript.ts';

const PARAGRAPH = 'The tide table is read once a day and kept by berth. ';

/** A long history, of which the store holds a stretch. */
function history(turns: number): readonly ChunkRecord[] {
  const log = new Log();
  for (let turn = 0; turn < turns; turn++) {
    log
      .prompt(`Prompt ${turn}`)
      .thinking('A thought.')
      .call('read', { path: `src/file-${turn}.ts` }, 'one\ntwo\n')
      .text(
        `## Answer ${turn}\n\n${PARAGRAPH.repeat(1 + ((turn * 7) % 9))}\n\n\`\`\`ts\n${'const x = 1;\n'.repeat((turn * 5) % 12)}\`\`\`\n`,
      );
  }
  return log.chunks;
}

/** What comes of asking for the next part. */
export type Paging = 'ignored' | 'nothing' | 'throws' | 'page';
/** Chunks of a page. */
const PAGE = 60;

/** One step of very many chunks. */
function giant(texts: number): readonly ChunkRecord[] {
  const log = new Log().prompt('Prompt 0');
  for (let at = 0; at < texts; at++) log.text(`Answer ${at}\n\n${PARAGRAPH.repeat(1 + (at % 5))}`);
  return log.chunks;
}

export const drive = {
  /** What a try brings, and how many there were. */
  paging: 'ignored' as Paging,
  asked: { older: 0, newer: 0 },
  /** Rendered again since the last look, by component. */
  renders: {} as Record<string, number>,
  all: [] as readonly ChunkRecord[],
  live: null as LiveFold | null,
  /** Shows chunks `from` to `to` of a history of that many turns. */
  window(turns: number, from: number, to: number): void {
    drive.all = history(turns);
    drive.slide(from, to);
    const store = useTranscriptStore();
    store.loaded = true;
    store.turnId = null;
  },
  /** Likewise of a single step. */
  step(texts: number, from: number, to: number): void {
    drive.window(1, 0, 0);
    drive.all = giant(texts);
    drive.slide(from, to);
  },
  /** The window moves: rows come and go at both ends in one flush, as after a page that was loaded. */
  slide(from: number, to: number): void {
    const store = useTranscriptStore();
    store.chunks = drive.all.slice(from, to);
    store.oldestLoadedSeq = store.chunks[0]?.seq ?? null;
    store.newestLoadedSeq = store.chunks.at(-1)?.seq ?? null;
    store.total = drive.all.length;
    store.atStart = from === 0;
    store.atEnd = to >= drive.all.length;
    store.loadingOlder = false;
    store.loadingNewer = false;
  },
  /** As the engine's `loadOlder` and `loadNewer`. */
  async load(side: 'older' | 'newer'): Promise<void> {
    const store = useTranscriptStore();
    const flag = side === 'older' ? 'loadingOlder' : 'loadingNewer';
    drive.asked[side]++;
    if (drive.paging === 'ignored') return;
    store[flag] = true;
    await new Promise((done) => setTimeout(done, 30));
    store[flag] = false;
    if (drive.paging === 'throws') throw new Error('the page could not be read');
    if (drive.paging === 'nothing') return;
    const { older, newer } = drive.edges();
    if (side === 'older') drive.slide(Math.max(0, older - PAGE), newer);
    else drive.slide(older, Math.min(drive.all.length, newer + PAGE));
  },
  /** Places in the history of the window's first chunk, and of what comes after its last. */
  edges(): { older: number; newer: number } {
    const store = useTranscriptStore();
    return {
      older: drive.all.findIndex(({ seq }) => seq === store.oldestLoadedSeq),
      newer: drive.all.findIndex(({ seq }) => seq === store.newestLoadedSeq) + 1,
    };
  },
  /** What lies beyond that end of the window is not here; the link is down, or it is up. */
  hole(side: 'older' | 'newer', down: boolean): void {
    const store = useTranscriptStore();
    const link = useLinkStore();
    link.setLink({ ...link.link, kind: down ? 'offline' : 'live', since: (link.link.since ?? 0) + 1 });
    if (side === 'older') store.hole = { from: 1, to: (store.oldestLoadedSeq ?? 1) - 1 };
    else store.holeBelow = { from: (store.newestLoadedSeq ?? 0) + 1, to: drive.all.at(-1)!.seq };
  },
  /** Whether this element shows that chunk. */
  holds(element: Element, id: string): boolean {
    for (const { key, items } of useTranscriptStore().groups) {
      const item = items.find(({ chunk, result }) => chunk.id === id || result?.id === id);
      if (item !== undefined)
        return (
          element.closest<HTMLElement>('[data-chunk]')?.dataset['chunk'] === item.key ||
          element.closest<HTMLElement>('li')?.dataset['row'] === key
        );
    }
    return false;
  },
  /** The reader asked to see this chunk of the history. */
  show(at: number): string {
    const store = useTranscriptStore();
    const { id, seq } = drive.all[at]!;
    store.target = { chunkId: id, seq, nonce: (store.target?.nonce ?? 0) + 1 };
    return id;
  },
  begin(): void {
    const store = useTranscriptStore();
    const turnId = store.chunks.at(-1)?.turnId ?? 'turn-1';
    store.turnId = turnId;
    drive.live = emptyFold({ turnId, step: 99, attempt: 0, phase: 'message' });
    store.live = drive.live;
  },
  stream(event: StepEvent): void {
    if (drive.live === null) return;
    drive.live = fold(drive.live, [{ ...event, turnId: drive.live.turnId, step: 99 }]);
    useTranscriptStore().live = drive.live;
  },
  /** What was live is sealed under the same ids. */
  seal(): void {
    const store = useTranscriptStore();
    const live = drive.live;
    if (live === null) return;
    const seq = (store.chunks.at(-1)?.seq ?? 0) + 1;
    const sealed = live.chunks.map((chunk, at): ChunkRecord => ({
      kind: 'chunk',
      sessionId: SESSION,
      seq: seq + at,
      id: chunkId(live.turnId, live.step, 'm', chunk.i),
      type: chunk.type,
      role: chunk.role,
      turnId: live.turnId,
      step: live.step,
      data: chunk.data,
      createdAt: 1,
    }));
    drive.live = null;
    store.chunks = [...store.chunks, ...sealed];
    store.total += sealed.length;
    store.live = null;
  },
  /** The server has decided every approval. */
  decide(): void {
    useTranscriptStore().approvals = [];
  },
  /** A prompt written here; or `accepted`, by another device. Then the same one as a chunk. */
  hold(text: string, accepted = false): string {
    const receipt = accepted ? receiptOf('steer', text) : receiptOf('held', text, { place: 1, of: 1 });
    const store = useTranscriptStore();
    store.receipts = [...store.receipts, receipt];
    return receipt.id;
  },
  /** It comes to that stage: in the tray, if it is queued there. */
  stage(id: string, stage: Stage): void {
    const store = useTranscriptStore();
    const isQueued = stage === 'queued';
    const next = { stage, lane: isQueued ? 'tray' : 'transcript', place: isQueued ? 1 : null, of: isQueued ? 1 : null } as const;
    store.receipts = store.receipts.map((receipt) => (receipt.id === id ? { ...receipt, ...next } : receipt));
  },
  /** At a boundary: all of them in one transaction. */
  promote(...ids: string[]): void {
    const store = useTranscriptStore();
    const seq = (store.chunks.at(-1)?.seq ?? 0) + 1;
    const turnId = store.turnId ?? 'turn-next';
    const chunks = ids.flatMap((id) => {
      const receipt = store.receipts.find((found) => found.id === id);
      return receipt === undefined ? [] : [{ id, data: { content: receipt.content } }];
    });
    store.chunks = [
      ...store.chunks,
      ...chunks.map((chunk, at): ChunkRecord => {
        return {
          ...chunk,
          kind: 'chunk',
          sessionId: SESSION,
          seq: seq + at,
          type: 'prompt',
          role: 'user',
          turnId,
          step: null,
          createdAt: 1,
        };
      }),
    ];
    store.receipts = store.receipts.filter((found) => !ids.includes(found.id));
    store.total += chunks.length;
  },
};
export type Drive = typeof drive;
declare global {
  interface Window {
    drive: Drive;
  }
}
window.drive = drive;
