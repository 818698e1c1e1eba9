/** Before the app's own script: notes when the numbered words of `latency.ts` come in by a socket. */
export interface Seen {
  readonly number: number;
  readonly at: number;
}
declare global {
  interface Window {
    benchArrived?: Seen[];
  }
}

const arrived: Seen[] = (window.benchArrived = []);
window.WebSocket = class extends WebSocket {
  constructor(url: string | URL, protocols?: string | string[]) {
    super(url, protocols);
    this.addEventListener('message', ({ data }) => {
      if (typeof data !== 'string' || !data.startsWith('{"type":"live"')) return;
      const found = /t(\d{5})(?!.*t\d{5})/s.exec(data.slice(-120));
      if (found !== null) arrived.push({ number: Number(found[1]), at: performance.now() });
    });
  }
};
