import { describe, test } from 'vitest';
import { describeClientRules } from './client-rules.ts';
import { Driver } from './driver.ts';
import { pythonDriver } from './drivers.ts';
import { describeWithRealServer } from './real-server.ts';

const { missing } = pythonDriver;

describe.skipIf(missing !== null)('the Python SDK', () => {
  describeClientRules(() => Driver.start(pythonDriver));
  describeWithRealServer(() => Driver.start(pythonDriver));
});

// Not skipped where nothing is missing: skipped tests fail a run of CI.
if (missing !== null) test('the Python SDK', ({ skip }) => skip(true, missing));
