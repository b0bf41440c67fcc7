import { describe, test } from 'vitest';
import { Driver } from './driver.ts';
import { gdscriptDriver } from './gdscript-driver.ts';
import { describeWithRealServer } from './real-server.ts';
import { describeRules } from './rules.ts';

const { missing } = gdscriptDriver;

describe.skipIf(missing !== null)('the GDScript SDK', () => {
  describeRules(() => Driver.start(gdscriptDriver));
  describeWithRealServer(() => Driver.start(gdscriptDriver));
});

// Not skipped when nothing is missing: skipped tests fail a CI run.
if (missing !== null) test('the GDScript SDK', ({ skip }) => skip(true, missing));
