/** Questions that wait for the user. The decision itself is the store's; here is only who is to be woken by it. */
export type Verdict = 'allow' | 'deny' | 'aborted';

export interface Approvals {
  /** Registered before the question is durable, so that no answer can come too early. Resolves once. */
  wait(approvalId: string, signal: AbortSignal): Promise<Verdict>;
  decided(approvalId: string, decision: 'allow' | 'deny'): void;
}

export function createApprovals(): Approvals {
  const waiting = new Map<string, (verdict: Verdict) => void>();
  return {
    wait(approvalId, signal) {
      return new Promise((resolve) => {
        const answer = (verdict: Verdict): void => {
          waiting.delete(approvalId);
          signal.removeEventListener('abort', aborted);
          resolve(verdict);
        };
        const aborted = (): void => answer('aborted');
        if (signal.aborted) return resolve('aborted');
        signal.addEventListener('abort', aborted, { once: true });
        waiting.set(approvalId, answer);
      });
    },
    decided(approvalId, decision) {
      waiting.get(approvalId)?.(decision);
    },
  };
}
