/** What is rendered: sealed and live chunks seen as one kind of thing. A `ChunkRecord` is a `ViewChunk` as it stands. */
import type { Role } from '../protocol/records.ts';
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

/** The live chunks of a fold as view chunks, minus those whose sealed row is here already. */
export function viewOf(live: LiveFold | null, sealed: (id: string) => boolean): ViewChunk[] {
  if (live === null) return [];
  return live.chunks
    .filter((chunk) => !sealed(chunk.id))
    .map((chunk) => ({
      id: chunk.id,
      turnId: live.turnId,
      step: live.step,
      role: chunk.role,
      type: chunk.type,
      data: chunk.data,
      open: chunk.open,
    }));
}
