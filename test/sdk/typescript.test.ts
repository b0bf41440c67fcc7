import { describe } from 'vitest';
import { describeClientRules } from './client-rules.ts';
import { describeConfigRules } from './config-rules.ts';
import { describeConnectRules } from './connect-rules.ts';
import { Driver } from './driver.ts';
import { typescriptDriver } from './drivers.ts';
import { describeFollowRules } from './follow-rules.ts';
import { describeFriendsRules } from './friends-rules.ts';
import { describeWithRealServer } from './real-server.ts';
import { describeSessionRules } from './session-rules.ts';

describe('the TypeScript client in Node', () => {
  describeClientRules(() => Driver.start(typescriptDriver));
  describeConnectRules(() => Driver.start(typescriptDriver));
  describeSessionRules(() => Driver.start(typescriptDriver));
  describeFollowRules(() => Driver.start(typescriptDriver));
  describeFriendsRules(() => Driver.start(typescriptDriver));
  describeConfigRules(() => Driver.start(typescriptDriver));
  describeWithRealServer(() => Driver.start(typescriptDriver));
});
