import { z } from 'zod';
import { id, normalizedAddress, timestamp } from '../../core/schemas/fields.ts';
import { displayName } from '../players/player.ts';

/** In code points. */
export const maxLabelLength = 500;

export const activityType = z.enum(['on-chain', 'off-chain']);
export type ActivityType = z.infer<typeof activityType>;

/** An activity as `sendCustomActivity` returns it. */
export const activityRecord = z
  .object({ _id: id, label: z.string(), normalizedAddress, eventId: z.string(), gameId: id, timestamp })
  .meta({ id: 'ActivityRecord' });
export type ActivityRecord = z.infer<typeof activityRecord>;

/** An item of the public feed. */
export const feedItem = z
  .object({
    type: activityType,
    eventId: z.string(),
    gameId: id,
    gameName: z.string(),
    gameSlug: z.string(),
    user: z.object({ id: z.string(), address: z.string(), username: z.string() }),
    displayText: z.string().meta({ description: 'The label with {username} and {wallet} replaced' }),
    timestamp,
  })
  .meta({ id: 'FeedItem' });
export type FeedItem = z.infer<typeof feedItem>;

/** An activity with the game and player fields that the feed shows, as read from the database. */
export interface RecordedActivity extends ActivityRecord {
  type: ActivityType;
  gameName: string;
  gameSlug: string;
  userId: string;
  /** Empty if the player has not set one. */
  username: string;
}

/** The feed item of an activity. Names are filled in on read, so that a renamed player shows under the new name. */
export function toFeedItem(activity: RecordedActivity): FeedItem {
  const username = displayName({ wallet: activity.normalizedAddress, username: activity.username });
  return {
    type: activity.type,
    eventId: activity.eventId,
    gameId: activity.gameId,
    gameName: activity.gameName,
    gameSlug: activity.gameSlug,
    user: { id: activity.userId, address: activity.normalizedAddress, username },
    displayText: fillPlaceholders(activity.label, { username, wallet: activity.normalizedAddress }),
    timestamp: activity.timestamp,
  };
}

/** Replaces each `{name}` in one pass, so that a value containing braces is not expanded again. */
export function fillPlaceholders(label: string, values: Record<string, string>): string {
  return label.replace(/\{(\w+)\}/g, (whole, name) =>
    Object.hasOwn(values, name) ? (values[name] ?? whole) : whole,
  );
}
