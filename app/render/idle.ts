/** Work that nobody waits for, one piece at a time, when the page has nothing better to do. */

interface Piece {
  run(): void;
  wanted(): boolean;
}
let waiting: Piece[] = [];
let asked = false;

/**
 * Runs `run` when the page is idle, what was asked for last first: that is what the reader looks at. Once `wanted` is false it
 * runs at the next chance, in no time of its own, only to end itself: else what has left the page would be held here, rows and
 * all, for as long as the reader scrolls.
 */
export function whenIdle(run: () => void, wanted: () => boolean): void {
  waiting.push({ run, wanted });
  ask();
}
function ask(): void {
  if (asked) return;
  asked = true;
  // A browser without idle time (Safari) gets the next turn of its loop, one piece a turn as well.
  if (typeof requestIdleCallback === 'function') requestIdleCallback(next, { timeout: 500 });
  else setTimeout(next, 30);
}
function next(): void {
  asked = false;
  const over: Piece[] = [];
  waiting = waiting.filter((piece) => piece.wanted() || over.push(piece) === 0);
  const piece = waiting.pop();
  if (waiting.length > 0) ask();
  for (const { run } of over) run();
  piece?.run();
}
