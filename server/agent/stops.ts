/** The provider's stop reason in the runner's words (WIRE 4). */
import type { StopReason } from './port.ts';
import type { StreamEnd } from './stream.ts';

export function stopOf(end: Pick<StreamEnd, 'stopReason' | 'calls' | 'openServerCalls'>): StopReason {
  switch (end.stopReason) {
    case 'end_turn':
    case 'stop_sequence':
      return 'end_turn';
    case 'tool_use':
      if (end.calls > 0) return 'tool_use';
      // Only the provider's own tools are open: the message is sent back for it to go on. With none at all it has ended.
      return end.openServerCalls > 0 ? 'pause_turn' : 'end_turn';
    case 'max_tokens':
    case 'pause_turn':
    case 'refusal':
      return end.stopReason;
    case 'model_context_window_exceeded':
      return 'window_exceeded';
    default:
      return 'unknown';
  }
}
