/** What a test lets run in every page before its own script. */

/** The worker is not woken by Background Sync: it is another clock than a test's page has, and asks past what stands before the page. */
export const WORKER_SLEEPS = `if ('ServiceWorkerRegistration' in window) delete ServiceWorkerRegistration.prototype.sync;`;

/** This device's clock is so many milliseconds ahead of the true time. */
export const clockAhead = (ms: number): string => `{
  const Real = Date;
  window.Date = class extends Real {
    constructor(...parts) { parts.length === 0 ? super(Real.now() + ${ms}) : super(...parts); }
    static now() { return Real.now() + ${ms}; }
  };
}`;
