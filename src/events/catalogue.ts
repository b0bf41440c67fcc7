import { z } from 'zod';
import { actionRecord, windowMessage } from '../domain/action.ts';
import { activityRecord } from '../domain/activity.ts';
import { normalizedAddress } from '../domain/address.ts';
import { endReason } from '../domain/channel-session.ts';
import { id, timestamp } from '../domain/ids.ts';
import { channelMessage, messageChannel, messageIdentity } from '../domain/message-channel.ts';
import { notificationRecord } from '../domain/notification.ts';
import { leaderboardRow, scoreRecord } from '../domain/score.ts';

/** A channel session as its own launchers hear of it. */
export const gameChannelRecord = z
  .object({
    _id: id.meta({ description: 'The channel session' }),
    gameId: id,
    wallet: normalizedAddress,
    exists: z.boolean(),
    present: z.boolean(),
    openedAt: timestamp,
    endReason: endReason.nullable().meta({ description: 'Why it no longer exists' }),
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
  'scores removed': scoreRecord,
  'game-channels patched': gameChannelRecord,
  'activities created': activityRecord,
  'rule-actions patched': actionRecord,
  'window-messages created': windowMessage,
} as const satisfies Record<string, z.ZodType>;

/** Who is writing in a message channel right now. */
export const typingRecord = z.object({ channelId: id, wallet: normalizedAddress }).meta({ id: 'Typing' });

/** The rows of a game's leaderboard that changed among the first `leaderboardTop`, and how many of those there are. */
export const leaderboardChange = z
  .object({ gameId: id, length: z.int(), rows: z.array(leaderboardRow) })
  .meta({ id: 'LeaderboardChange' });
export type LeaderboardChange = z.infer<typeof leaderboardChange>;

/** What is told at once or never: signals, with the same naming as events. */
export const signals = {
  'chat-messages typing': typingRecord,
  'leaderboards patched': leaderboardChange,
} as const satisfies Record<string, z.ZodType>;

export type SignalName = keyof typeof signals;
export type SignalRecord<Name extends SignalName> = z.infer<(typeof signals)[Name]>;

export type EventName = keyof typeof catalogue;
export type EventRecord<Name extends EventName> = z.infer<(typeof catalogue)[Name]>;
