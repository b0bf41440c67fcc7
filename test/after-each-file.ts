import { afterAll } from 'vitest';
import { endWarmGantry } from './support/warm-gantry.ts';

// Test files follow each other in one process, and each has what it starts in others for itself.
afterAll(endWarmGantry);
