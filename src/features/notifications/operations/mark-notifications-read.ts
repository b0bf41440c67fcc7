import { z } from 'zod';
import { GantryError } from '../../../core/errors.ts';
import { id, idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { markRead } from '../commands.ts';
import { maxMarkedPerCall } from '../notification.ts';
import { inboxOf } from './inbox-of.ts';

export const markNotificationsRead = defineOperation({
  name: 'markNotificationsRead',
  service: 'launcher',
  kind: 'write',
  isRepeatable: true,
  summary:
    "Mark some of the player's notifications as read, or all of them; the player's other launchers are notified",
  auth: 'player',
  input: z.object({
    notificationIds: z
      .array(idInput)
      .min(1, 'must name at least one notification')
      .max(maxMarkedPerCall, `must name at most ${maxMarkedPerCall} notifications`)
      .optional(),
    all: z.literal(true).optional().meta({ description: 'Instead of `notificationIds`' }),
  }),
  cost: {
    text: 'one write for every 10 notifications; with `all`, 10 writes',
    of: ({ notificationIds }) => (notificationIds ? notificationIds.length / 10 : 10),
  },
  output: z.object({
    success,
    notificationIds: z
      .array(id)
      .meta({ description: 'The notifications marked by this call: those that exist and were unread' }),
    more: z
      .boolean()
      .meta({ description: `With \`all\`: there are more than the ${maxMarkedPerCall} marked; call again` }),
  }),
  async handler({ input: { notificationIds, all }, caller }, { db }: { db: Store }) {
    if ((notificationIds === undefined) === (all === undefined)) {
      const message = 'name the notifications, or send `all` instead';
      const fields = [{ path: 'notificationIds', message }];
      throw new GantryError('input_invalid', `notificationIds: ${message}`, { fields });
    }
    return { success: true, ...(await db.write(markRead, inboxOf(caller), notificationIds ?? 'all')) };
  },
});
