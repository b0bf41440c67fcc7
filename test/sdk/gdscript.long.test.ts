import { describe, test } from 'vitest';
import { describeClientRules } from './client-rules.ts';
import { describeConfigRules } from './config-rules.ts';
import { describeConnectRules } from './connect-rules.ts';
import { Driver } from './driver.ts';
import { describeFollowRules } from './follow-rules.ts';
import { describeFriendsRules } from './friends-rules.ts';
import { gdscriptDriver } from './gdscript-driver.ts';
import { describeWithRealServer } from './real-server.ts';
import { describeSessionRules } from './session-rules.ts';

const { missing } = gdscriptDriver;

describe.skipIf(missing !== null)('the GDScript SDK', () => {
  describeClientRules(() => Driver.start(gdscriptDriver));
  describeConnectRules(() => Driver.start(gdscriptDriver));
  describeSessionRules(() => Driver.start(gdscriptDriver));
  describeFollowRules(() => Driver.start(gdscriptDriver));
  describeFriendsRules(() => Driver.start(gdscriptDriver));
  describeConfigRules(() => Driver.start(gdscriptDriver));
  describeWithRealServer(() => Driver.start(gdscriptDriver));
});

// Not skipped when nothing is missing: skipped tests fail a CI run.
if (missing !== null) test('the GDScript SDK', ({ skip }) => skip(true, missing));
