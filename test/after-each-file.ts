import { afterAll } from 'vitest';
import { endWarmGantry } from './support/warm-gantry.ts';

// Test files run one after another in one process; each sets up for itself what it starts in other processes.
afterAll(endWarmGantry);
