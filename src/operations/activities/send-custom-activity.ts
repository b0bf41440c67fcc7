import { z } from 'zod';
import { activityRecord, maximumLabelLength } from '../../domain/activity.ts';
import { success } from '../../domain/outcome.ts';
import { text } from '../../domain/text.ts';
import { defineOperation } from '../define.ts';
import { ownerOf } from '../owner.ts';

export const sendCustomActivity = defineOperation({
  name: 'sendCustomActivity',
  service: 'launcher',
  kind: 'write',
  summary: 'Record an activity of the player for the public feed',
  auth: 'player',
  input: z.object({
    label: text(1, maximumLabelLength).meta({
      description: '{username} and {wallet} are filled in when the feed is read',
    }),
    eventId: text(1, 200),
  }),
  output: z.object({ success, activity: activityRecord }),
  async handler({ input, caller }, { store }) {
    return { success: true, activity: await store.activities.record(ownerOf(caller), input) };
  },
});
