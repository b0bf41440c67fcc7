import { afterAll } from 'vitest';
import { endWarmGantry } from './support/warm-gantry.ts';

// A later file would wait for timers that never fire, and its error would not say why.
const shared = globalThis as { gantryTestTimer?: typeof setTimeout };
shared.gantryTestTimer ??= setTimeout;
if (setTimeout !== shared.gantryTestTimer) {
  throw new Error('an earlier test file of this process has left fake timers behind');
}

// Test files run one after another in one process; each sets up for itself what it starts in other processes.
afterAll(endWarmGantry);
