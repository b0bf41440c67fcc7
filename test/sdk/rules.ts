import { describe } from 'vitest';
import { describeClientRules } from './client-rules.ts';
import { describeConfigRules } from './config-rules.ts';
import { describeConnectRules } from './connect-rules.ts';
import type { Driver } from './driver.ts';
import { describeFollowRules } from './follow-rules.ts';
import { describeFriendsRules } from './friends-rules.ts';
import { describeQueueRules } from './queue-rules.ts';
import { describeSessionRules } from './session-rules.ts';

/** The rules of PROTOCOL.md and the pages about SDKs, by topic. */
export const sdkRules = {
  client: describeClientRules,
  queue: describeQueueRules,
  connect: describeConnectRules,
  session: describeSessionRules,
  follow: describeFollowRules,
  friends: describeFriendsRules,
  config: describeConfigRules,
};

/**
 * Tests an SDK with scripted servers through the drivers that `start` provides, one for each topic. Each test has
 * servers of its own and mostly waits, so several run at the same time.
 */
export function describeRules(
  start: () => Promise<Driver>,
  without: readonly (keyof typeof sdkRules)[] = [],
): void {
  describe.concurrent('rules', () => {
    for (const topic of Object.keys(sdkRules) as (keyof typeof sdkRules)[]) {
      if (!without.includes(topic)) sdkRules[topic](start);
    }
  });
}
