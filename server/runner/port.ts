/** The runner, as HTTP and the feed see it. */
import type { AgentEvent } from '#shared/protocol/agent-events.ts';
import type { LiveKey } from '#shared/chunks/fold.ts';
import type { LiveSnapshot } from '#shared/protocol/summaries.ts';

/** A coalesced frame of what streams, numbered within its key; or the end of whatever was live. */
export interface LiveFrame extends LiveKey {
  sessionId: string;
  n: number;
  events: AgentEvent[];
}
export interface LiveSource {
  /** What is live now, or null. Taken in the same tick as a cut-over, so no frame is lost or doubled. */
  snapshot(sessionId: string): LiveSnapshot | null;
  /** Told of each frame; answers its own removal. A listener that throws is reported and changes nothing. */
  onFrame(listener: (frame: LiveFrame) => void): () => void;
}
export interface Runner extends LiveSource {
  /** The doorbell: rings are coalesced; one drain runs per session. */
  wake(sessionId: string): void;
  /** After `store.stop` has committed: aborts what runs. */
  abort(sessionId: string, turnId: string | null): void;
  /** After `store.decideApproval` has committed. */
  decided(sessionId: string, approvalId: string, decision: 'allow' | 'deny'): void;
  /** Settles what a dead process left, then wakes what can run. Once, before the first wake. */
  recover(): Promise<void>;
  /** Resolves when no turn runs. */
  idle(): Promise<void>;
  /** Aborts without settling: the next start resumes, as after a crash. */
  close(): Promise<void>;
}
