/** What is rendered: sealed and live chunks seen as one kind of thing. A `ChunkRecord` is a `ViewChunk` as it stands. */
import type { Role } from '../protocol/records.ts';
import type { LiveChunk } from '../protocol/summaries.ts';
import type { LiveFold } from './fold.ts';

export interface ViewChunk {
  readonly id: string;
  readonly turnId: string | null;
  readonly step: number | null;
  readonly role: Role;
  readonly type: string;
  readonly data: unknown;
  /** Absent: live. */
  readonly seq?: number;
  readonly createdAt?: number;
  /** More of it may come. Absent on sealed chunks. */
  readonly open?: boolean;
}

/** Folding replaces chunks and never changes them: the same live chunk is the same view chunk, so that nothing re-renders for it. */
const views = new WeakMap<LiveChunk, ViewChunk>();

/** The live chunks of a fold as view chunks, minus those whose sealed row is here already. */
export function viewOf(live: LiveFold | null, sealed: (id: string) => boolean): ViewChunk[] {
  if (live === null) return [];
  return live.chunks.filter((chunk) => !sealed(chunk.id)).map((chunk) => viewOfChunk(live, chunk));
}
function viewOfChunk(live: LiveFold, chunk: LiveChunk): ViewChunk {
  let view = views.get(chunk);
  if (view === undefined) {
    const { id, role, type, data, open } = chunk;
    view = { id, turnId: live.turnId, step: live.step, role, type, data, open };
    views.set(chunk, view);
  }
  return view;
}
