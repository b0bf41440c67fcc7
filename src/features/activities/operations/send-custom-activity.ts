import { z } from 'zod';
import { success } from '../../../core/schemas/outcome.ts';
import { notSeen, seenByOthers } from '../../../core/schemas/seen-text.ts';
import { text } from '../../../core/schemas/text.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { ownerOf } from '../../owner.ts';
import { activityRecord, maxLabelLength } from '../activity.ts';
import { recordActivity } from '../commands.ts';

export const sendCustomActivity = defineOperation({
  name: 'sendCustomActivity',
  service: 'launcher',
  kind: 'write',
  summary: 'Record an activity of the player for the public feed',
  auth: 'player-or-server',
  input: z.object({
    label: seenByOthers(
      text(1, maxLabelLength).meta({
        description: '{username} and {wallet} are filled in when the feed is read',
      }),
      { as: 'text', mute: 'call' },
    ),
    eventId: notSeen(text(1, 200), 'id'),
  }),
  output: z.object({ success, activity: activityRecord }),
  async handler({ input, caller }, { db }: { db: Store }) {
    return { success: true, activity: await db.write(recordActivity, ownerOf(caller), input) };
  },
});
