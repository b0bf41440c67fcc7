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

// Not skipped when nothing is missing: skipped tests fail a CI run.
if (missing !== null) test('the Python SDK', ({ skip }) => skip(true, missing));
