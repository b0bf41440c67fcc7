import { z } from 'zod';
import { success } from '../../../core/schemas/outcome.ts';
import { pagingOf } from '../../../core/schemas/paging.ts';
import { text } from '../../../core/schemas/text.ts';
import type { Store } from '../../../core/storage/store.ts';
import { rowsCost } from '../../cost.ts';
import { defineOperation } from '../../operation.ts';
import { inboxNotification, maxUnread } from '../notification.ts';
import { listInbox } from '../queries.ts';
import { inboxOf } from './inbox-of.ts';

export const listNotifications = defineOperation({
  name: 'listNotifications',
  service: 'launcher',
  kind: 'read',
  summary: "List the player's notifications, newest first, with how many are unread",
  auth: 'player-or-server',
  input: z.object({
    limit: pagingOf().limit,
    after: text(1, 100).optional().meta({ description: 'The `cursor` of the previous response' }),
    unreadOnly: z.boolean().default(false),
  }),
  cost: rowsCost(50),
  output: z.object({
    success,
    notifications: z.array(inboxNotification),
    unread: z.int().meta({
      description: `In the whole inbox; ${maxUnread} means that many or more`,
    }),
    cursor: z.string().nullable().meta({ description: 'Start of the next page; null at the end' }),
  }),
  async handler({ input, caller }, { db }: { db: Store }) {
    return { success: true, ...(await db.read(listInbox, inboxOf(caller), input)) };
  },
});
