/** The runner's figures, in the order in which they are measured. */
import type { Bench } from '../kit/figure.ts';
import { admitBench } from './admit.ts';
import { commitsBench } from './commits.ts';
import { fairBench } from './fair.ts';
import { memoryBench } from './memory.ts';

export const RUNNER: readonly Bench[] = [commitsBench, admitBench, fairBench, memoryBench];
