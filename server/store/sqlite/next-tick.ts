/** Lets the event loop go round once between two parts of long work. By the global, so that whoever holds the loop in a test sees it wait. */
export function nextTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
