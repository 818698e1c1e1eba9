/** The window's figures, in the order in which they are measured. */
import type { Bench } from '../kit/figure.ts';
import { halvesBench } from './halves.ts';
import { heapBench } from './heap.ts';
import { latencyBench } from './latency.ts';
import { leanBench } from './lean.ts';
import { mirrorBench } from './mirror.ts';
import { openBench, openColdBench } from './open.ts';
import { pageUpBench } from './page-up.ts';
import { wanderBench } from './wander.ts';

export const WINDOW: readonly Bench[] = [
  mirrorBench,
  halvesBench,
  leanBench,
  latencyBench,
  wanderBench,
  openBench,
  pageUpBench,
  heapBench,
  openColdBench,
];
