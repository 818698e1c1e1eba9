/**
 * States that a simulation is for, and the counters that prove that they were reached. One that stays at 0 over many seeds is a hole
 * in the simulation: a law is only held where something could have broken it.
 */
export const SOMETIMES: Readonly<Record<string, readonly string[]>> = {
  'a request arrives twice': ['request-twice'],
  'the same words are sent twice under one id': ['act-send-twice'],
  'other words come under an id that is known': ['same-id-409'],
  'a request is lost': ['request-lost'],
  'an answer is lost after the server acted': ['answer-lost'],
  'somebody else answers for the server': ['impostor'],
  'a socket is open and carries nothing': ['half-open'],
  'an answer of 401': ['401'],
  'a server dies': ['server-death'],
  'a server dies with a chunk just sealed, and nobody told': ['crash-mid-seal'],
  'a commit falls into a subscription that is on its way': ['cut-over-race'],
  'a client comes back too late for a replay': ['gap'],
  'a server is restored from an older copy': ['restore'],
  'a device finds another history than it had': ['reset'],
  'a restored server does not know an input': ['shown-orphaned'],
  'a prompt is too old': ['shown-expired'],
  'an input is refused for good': ['shown-refused'],
  'an edit meets an edit from elsewhere': ['shown-conflict'],
  'a device is switched off': ['device-crash'],
  'the browser wipes a mirror': ['mirror-wiped'],
  'a tab is frozen inside a transaction': ['tab-freeze-writing'],
  'a lock is taken from a frozen tab': ['lock-stolen'],
  'a disk is full': ['disk-quota'],
  'a connection to a disk is closed': ['disk-closed'],
  'a write ends at some row': ['disk-row'],
  'a disk does not answer in time': ['disk-late'],
  'a clock jumps': ['clock-jump'],
  'a night passes': ['night'],
  'a device is signed out elsewhere': ['revoke'],
  'a session is forked': ['fork'],
  'records arrive that do not fit': ['report:replica.adrift'],
};

/** Names of states that were never reached. */
export function missing(counters: Readonly<Record<string, number>>): string[] {
  return Object.keys(SOMETIMES).filter((name) => SOMETIMES[name]!.every((counter) => (counters[counter] ?? 0) === 0));
}
