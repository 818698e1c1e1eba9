/** Sync's figures, in the order in which they are measured. */
import type { Bench } from '../kit/figure.ts';
import { caughtUpBench } from './caught-up.ts';
import { clientsBench } from './clients.ts';
import { reconnectBench } from './reconnect.ts';

export const SYNC: readonly Bench[] = [caughtUpBench, reconnectBench, clientsBench];
