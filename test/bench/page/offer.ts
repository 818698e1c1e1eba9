/** What the bench's scripts offer to the process that drives the page, side by side in one page. */
declare global {
  interface Window {
    bench?: Record<string, object>;
  }
}

export function offer(scripts: Record<string, object>): void {
  window.bench = { ...window.bench, ...scripts };
}
