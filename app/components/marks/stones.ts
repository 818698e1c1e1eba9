/** The stones: one shape a state, told apart without colour (the look's fourth rule). */
export type StoneKind =
  | 'plain'
  | 'live'
  | 'sealed'
  | 'needs'
  | 'steer'
  | 'queued'
  | 'paused'
  | 'failed'
  | 'held'
  | 'sending'
  | 'expired'
  | 'refused'
  | 'orphaned'
  | 'checking'
  | 'cancelled'
  | 'unread'
  | 'idle';

export interface StoneStroke {
  d: string;
  /** Filled with the stone's own colour. */
  filled?: boolean;
  /** Only on this device. */
  dashed?: boolean;
  /** Cut out of a filled stone. */
  hollow?: boolean;
  width?: number;
  opacity?: number;
}

const BODY = 'M2 10.9C2 7 5.3 4.6 10.3 4.6c4.8 0 7.7 2.6 7.7 6.1 0 3-2.9 4.7-8 4.7-5 0-8-1.5-8-4.5Z';
const outline: StoneStroke = { d: BODY };
const solid: StoneStroke = { d: BODY, filled: true };
const dashed: StoneStroke = { d: BODY, dashed: true };

/** Strokes of each stone in a 20 × 20 box. */
export const STONES: Record<StoneKind, readonly StoneStroke[]> = {
  plain: [outline],
  queued: [outline],
  live: [solid],
  sealed: [
    { d: 'M2 9.4C2 5.5 5.3 3.1 10.3 3.1c4.8 0 7.7 2.6 7.7 6.1 0 3-2.9 4.7-8 4.7-5 0-8-1.5-8-4.5Z', filled: true },
    { d: 'M3 17.4h14' },
  ],
  needs: [solid, { d: 'M10 7.3v3', hollow: true, width: 1.8 }, { d: 'M10 12.6v.01', hollow: true, width: 2 }],
  steer: [outline, { d: 'M6.6 7.6v1.7c0 .9.6 1.5 1.5 1.5h5M11.2 8.8l2.1 2-2.1 2' }],
  paused: [outline, { d: 'M8.5 8v4M11.5 8v4', width: 1.8 }],
  failed: [solid, { d: 'm8.2 8.1 3.6 3.8M11.8 8.1l-3.6 3.8', hollow: true }],
  held: [dashed],
  sending: [{ ...dashed, opacity: 0.55 }, { d: 'M10 13.2V6.6M7.4 9 10 6.5 12.6 9' }],
  expired: [dashed, { d: 'M10 7.2v3.1l2.2 1.5' }],
  refused: [outline, { d: 'm8 7.9 4 4.2M12 7.9l-4 4.2' }],
  orphaned: [dashed, { d: 'm10.6 4.8-1.7 3.6 2.7 1.6-1.9 5.2' }],
  checking: [dashed, { d: 'M8.3 8.6c0-1.1.8-1.8 1.8-1.8s1.8.7 1.8 1.6c0 1.3-1.8 1.4-1.8 2.6' }, { d: 'M10.1 13.1v.01', width: 1.8 }],
  cancelled: [{ d: BODY, opacity: 0.6 }, { d: 'M1.5 16.6 18.5 3.4' }],
  unread: [{ d: 'M4.6 10.6c0-2.4 2.1-3.9 5.5-3.9 3.2 0 5.2 1.7 5.2 3.9 0 1.9-1.9 3-5.3 3s-5.4-.9-5.4-3Z', filled: true }],
  idle: [{ d: 'M6.4 10.4c0-1.6 1.4-2.6 3.7-2.6 2.1 0 3.5 1.1 3.5 2.6 0 1.3-1.3 2-3.6 2s-3.6-.6-3.6-2Z', width: 1.2 }],
};
