import { z } from 'zod';
import { activityRecord } from '../domain/activity.ts';
import { normalizedAddress } from '../domain/address.ts';
import { id, timestamp } from '../domain/ids.ts';
import { channelMessage, messageChannel, messageIdentity } from '../domain/message-channel.ts';
import { notificationRecord } from '../domain/notification.ts';
import { scoreRecord } from '../domain/score.ts';

/** A channel session as its own launchers hear of it. */
export const gameChannelRecord = z
  .object({
    _id: id.meta({ description: 'The channel session' }),
    gameId: id,
    wallet: normalizedAddress,
    exists: z.boolean(),
    present: z.boolean(),
    openedAt: timestamp,
  })
  .meta({ id: 'GameChannel' });
export type GameChannelRecord = z.infer<typeof gameChannelRecord>;

/**
 * Every event a launcher can be told, `'<service> <event>'` as Feathers names them, with its record's
 * schema. A push outside this list does not compile.
 */
export const catalogue = {
  'chat-messages created': channelMessage,
  'chat-messages patched': channelMessage,
  'chat-messages removed': messageIdentity,
  'message-channels created': messageChannel,
  'message-channels patched': messageChannel,
  'notifications created': notificationRecord,
  'scores created': scoreRecord,
  'scores patched': scoreRecord,
  'game-channels patched': gameChannelRecord,
  'activities created': activityRecord,
} as const satisfies Record<string, z.ZodType>;

export type EventName = keyof typeof catalogue;
export type EventRecord<Name extends EventName> = z.infer<(typeof catalogue)[Name]>;
