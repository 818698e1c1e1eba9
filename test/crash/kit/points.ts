/** The names of the moments at which a server can be made to die, and what a user does to bring each about. */

/** What the workload does to bring a point about; `cut` comes with a start after a turn was cut. */
export type Cause =
  'create' | 'fork' | 'change' | 'delete' | 'prompt' | 'edit' | 'cancel' | 'steer' | 'stop' | 'resume' | 'ask' | 'tools' | 'fault' | 'cut';

/** Of the store: before an operation, and after its commit, before its caller or anybody else hears of it. */
type Operation =
  | ('admit' | 'editInput' | 'cancelInput' | 'createSession' | 'changeSession' | 'deleteSession')
  | ('openTurn' | 'promoteSteers' | 'seal' | 'settle' | 'stop' | 'resume' | 'askApproval' | 'decideApproval')
  | ('openTurns' | 'takeOver' | 'turnRecords' | 'history' | 'runnableSessions');
export type Point =
  | `${Operation}:${'before' | 'after'}`
  /** An event has just got its id, in a transaction that is open. */
  | 'transaction:within'
  /** Committed, and nobody was told. */
  | 'commit:told'
  | `attempt:${'begin' | 'event' | 'args' | 'end' | 'failed'}`
  | `tool:${'begin' | 'output' | 'end'}`;

export interface Aim {
  point: Point;
  cause: Cause;
}
export const nameOf = ({ point, cause }: Aim): string => `${point} (${cause})`;
const aims = (cause: Cause, ...points: Point[]): Aim[] => points.map((point) => ({ point, cause }));

export const POINTS = {
  inbox: [
    ...aims('prompt', 'admit:before', 'transaction:within', 'admit:after'),
    ...aims('edit', 'editInput:before', 'transaction:within', 'editInput:after'),
    ...aims('cancel', 'cancelInput:before', 'transaction:within', 'cancelInput:after'),
    ...aims('create', 'createSession:before', 'createSession:after'),
    ...aims('fork', 'createSession:before', 'createSession:after'),
    ...aims('change', 'changeSession:before', 'transaction:within', 'changeSession:after'),
    ...aims('delete', 'deleteSession:before', 'deleteSession:after'),
  ],
  turns: [
    ...aims('prompt', 'openTurn:before', 'openTurn:after', 'commit:told', 'settle:before', 'transaction:within', 'settle:after'),
    ...aims('steer', 'promoteSteers:before', 'promoteSteers:after'),
    ...aims('prompt', 'attempt:begin', 'attempt:event', 'attempt:end'),
    ...aims('fault', 'attempt:failed'),
    ...aims('tools', 'attempt:args', 'seal:before', 'seal:after', 'tool:begin', 'tool:output', 'tool:end'),
  ],
  words: [
    ...aims('stop', 'stop:before', 'transaction:within', 'stop:after'),
    ...aims('resume', 'resume:before', 'transaction:within', 'resume:after'),
    ...aims('ask', 'askApproval:before', 'transaction:within', 'askApproval:after', 'decideApproval:before', 'decideApproval:after'),
  ],
  recovery: [
    ...aims('cut', 'openTurns:before', 'openTurns:after', 'takeOver:before', 'transaction:within', 'takeOver:after', 'turnRecords:before'),
    ...aims(
      'cut',
      'turnRecords:after',
      'history:before',
      'history:after',
      'runnableSessions:before',
      'seal:before',
      'seal:after',
      'attempt:begin',
    ),
  ],
};
