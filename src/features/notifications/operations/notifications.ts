import { z } from 'zod';
import { invalidField } from '../../../core/errors.ts';
import type { Listener } from '../../../core/events/stream.ts';
import { addressInput, id, idInput, normalizedAddress, success, text } from '../../../core/schemas/fields.ts';
import { pagingOf } from '../../../core/schemas/paging.ts';
import { notSeen } from '../../../core/schemas/seen-text.ts';
import type { Store } from '../../../core/storage/store.ts';
import { type Callers, defineOperation, ownerOf } from '../../operation.ts';
import { rowsCost } from '../../operation-cost.ts';
import { markRead, notifyPlayer, notifySeveral } from '../commands.ts';
import {
  expiresInSeconds,
  inboxNotification,
  maxMarkedPerCall,
  maxUnread,
  notificationMessage,
  notificationType,
} from '../notification.ts';
import { listInbox, listUnread } from '../queries.ts';

/**
 * The inbox a caller reads. As with events, a launcher's own session covers every game; a launcher's server, which acts
 * for the launcher and not for its players in other games, does not.
 */
function inboxOf({ game, wallet, session }: Callers['player-or-server']): Listener {
  return { wallet, gameId: session !== null && game.kind === 'launcher' ? null : game.id };
}

export const sendNotification = defineOperation({
  name: 'sendNotification',
  service: 'launcher',
  kind: 'write',
  summary: "Send a notification to the player's inbox and launchers",
  auth: 'player-or-server',
  input: z.object({ message: notSeen(notificationMessage, 'own'), type: notificationType, expiresInSeconds }),
  output: z.object({ success }),
  async handler({ input, caller }, { db }: { db: Store }) {
    await db.write(notifyPlayer, ownerOf(caller), input);
    return { success: true };
  },
});

const maxWallets = 100;

export const notifyPlayers = defineOperation({
  name: 'notifyPlayers',
  service: 'launcher',
  kind: 'write',
  summary: "Send a notification to up to 100 players (requires the game's secret)",
  auth: 'game-secret',
  input: z.object({
    wallets: z
      .array(addressInput)
      .min(1, 'must have at least one player')
      .max(maxWallets, `must have at most ${maxWallets} players`)
      .refine((wallets) => new Set(wallets).size === wallets.length, 'must not contain a wallet twice'),
    message: notSeen(notificationMessage, 'game'),
    type: notificationType,
    expiresInSeconds,
  }),
  cost: { text: 'one write for every wallet', of: ({ wallets }) => wallets.length },
  output: z.object({
    success,
    banned: z
      .array(normalizedAddress)
      .meta({ description: 'Players who were not notified because they are banned from the game' }),
  }),
  async handler({ input: { wallets, ...notification }, caller: { game } }, { db }: { db: Store }) {
    return { success: true, ...(await db.write(notifySeveral, game.id, wallets, notification)) };
  },
});

export const listNotifications = defineOperation({
  name: 'listNotifications',
  service: 'launcher',
  kind: 'read',
  summary: "List the player's notifications, newest first, with the number of unread ones",
  auth: 'player-or-server',
  input: z.object({
    limit: pagingOf().limit,
    after: text(1, 100).optional().meta({ description: 'The `cursor` of the previous page' }),
    unreadOnly: z.boolean().default(false),
  }),
  cost: rowsCost(50),
  output: z.object({
    success,
    notifications: z.array(inboxNotification),
    unread: z.int().meta({
      description: `Number of unread notifications in the whole inbox; ${maxUnread} means ${maxUnread} or more`,
    }),
    cursor: z
      .string()
      .nullable()
      .meta({ description: 'Send it as `after` to get the next page; null on the last page' }),
  }),
  async handler({ input, caller }, { db }: { db: Store }) {
    return { success: true, ...(await db.read(listInbox, inboxOf(caller), input)) };
  },
});

export const markNotificationsRead = defineOperation({
  name: 'markNotificationsRead',
  service: 'launcher',
  kind: 'write',
  isRepeatable: true,
  summary: "Mark some or all of the player's notifications as read",
  auth: 'player',
  input: z.object({
    notificationIds: z
      .array(idInput)
      .min(1, 'must have at least one notification')
      .max(maxMarkedPerCall, `must have at most ${maxMarkedPerCall} notifications`)
      .optional(),
    all: z
      .literal(true)
      .optional()
      .meta({ description: 'Marks all unread notifications; cannot be combined with `notificationIds`' }),
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
    more: z.boolean().meta({
      description: `With \`all\`: whether there may be more unread notifications than the ${maxMarkedPerCall} marked; if so, call again`,
    }),
  }),
  async handler({ input: { notificationIds, all }, caller }, { db }: { db: Store }) {
    if ((notificationIds === undefined) === (all === undefined)) {
      throw invalidField('notificationIds', 'send either `notificationIds` or `all`');
    }
    const inbox = inboxOf(caller);
    const wanted = notificationIds ?? (await db.read(listUnread, inbox, maxMarkedPerCall));
    return {
      success: true,
      notificationIds: await db.write(markRead, inbox, wanted),
      more: all === true && wanted.length === maxMarkedPerCall,
    };
  },
});
