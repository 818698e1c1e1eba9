/** Work that nobody waits for, one piece at a time, when the page has nothing better to do. */

type Piece = () => void;
const waiting: Piece[] = [];
let asked = false;

/** Runs `piece` when the page is idle, after those that were asked for before it. */
export function whenIdle(piece: Piece): void {
  waiting.push(piece);
  ask();
}
function ask(): void {
  if (asked) return;
  asked = true;
  // A browser without idle time (Safari) gets the next turn of its loop, one piece a turn as well.
  if (typeof requestIdleCallback === 'function') requestIdleCallback(next, { timeout: 2000 });
  else setTimeout(next, 30);
}
function next(): void {
  asked = false;
  const piece = waiting.shift();
  if (waiting.length > 0) ask();
  piece?.();
}
