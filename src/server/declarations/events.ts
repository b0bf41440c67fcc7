import type { z } from 'zod';
import { activityCreated } from '../../features/activities/events.ts';
import { eventEnded, eventStarted } from '../../features/calendar/events.ts';
import {
  friendCreated,
  friendPatched,
  friendPresencePatched,
  friendRemoved,
  inviteCreated,
  inviteRemoved,
  joinRequested,
  privacyPatched,
} from '../../features/friends/events.ts';
import { configPatched } from '../../features/game-config/events.ts';
import { maintenancePatched } from '../../features/maintenance/events.ts';
import { playerBlocksPatched } from '../../features/messages/blocks/events.ts';
import {
  messageChannelCreated,
  messageChannelPatched,
  messageCreated,
  messagePatched,
  messageReactionCreated,
  messageReactionRemoved,
  messageRemoved,
  messageTyping,
  readMarkerPatched,
} from '../../features/messages/events.ts';
import { newsCreated } from '../../features/news/events.ts';
import {
  mutedGamePatched,
  notificationCreated,
  notificationsRead,
} from '../../features/notifications/events.ts';
import { gameStatsPatched } from '../../features/playtime/events.ts';
import { ruleActionPatched } from '../../features/queue/events.ts';
import { releaseCreated } from '../../features/releases/events.ts';
import { windowMessageCreated } from '../../features/rules/events.ts';
import {
  leaderboardPatched,
  namedLeaderboardPatched,
  scoreCreated,
  scorePatched,
  scoreRemoved,
  seasonEnded,
} from '../../features/scores/score.ts';
import { gameChannelPatched } from '../../features/sessions/events.ts';

/** Every event that launchers can receive, with its record's schema; each is declared with its feature. */
export const events = {
  [messageCreated.name]: messageCreated.record,
  [messagePatched.name]: messagePatched.record,
  [messageRemoved.name]: messageRemoved.record,
  [messageReactionCreated.name]: messageReactionCreated.record,
  [messageReactionRemoved.name]: messageReactionRemoved.record,
  [messageChannelCreated.name]: messageChannelCreated.record,
  [messageChannelPatched.name]: messageChannelPatched.record,
  [readMarkerPatched.name]: readMarkerPatched.record,
  [notificationCreated.name]: notificationCreated.record,
  [notificationsRead.name]: notificationsRead.record,
  [mutedGamePatched.name]: mutedGamePatched.record,
  [playerBlocksPatched.name]: playerBlocksPatched.record,
  [friendCreated.name]: friendCreated.record,
  [friendPatched.name]: friendPatched.record,
  [friendRemoved.name]: friendRemoved.record,
  [privacyPatched.name]: privacyPatched.record,
  [inviteCreated.name]: inviteCreated.record,
  [inviteRemoved.name]: inviteRemoved.record,
  [scoreCreated.name]: scoreCreated.record,
  [scorePatched.name]: scorePatched.record,
  [scoreRemoved.name]: scoreRemoved.record,
  [seasonEnded.name]: seasonEnded.record,
  [eventStarted.name]: eventStarted.record,
  [eventEnded.name]: eventEnded.record,
  [gameChannelPatched.name]: gameChannelPatched.record,
  [activityCreated.name]: activityCreated.record,
  [releaseCreated.name]: releaseCreated.record,
  [ruleActionPatched.name]: ruleActionPatched.record,
  [windowMessageCreated.name]: windowMessageCreated.record,
} as const satisfies Record<string, z.ZodType>;

/** Every signal: delivered at most once and not stored, with the same naming as events. */
export const signals = {
  [messageTyping.name]: messageTyping.record,
  [joinRequested.name]: joinRequested.record,
  [friendPresencePatched.name]: friendPresencePatched.record,
  [newsCreated.name]: newsCreated.record,
  [configPatched.name]: configPatched.record,
  [leaderboardPatched.name]: leaderboardPatched.record,
  [namedLeaderboardPatched.name]: namedLeaderboardPatched.record,
  [gameStatsPatched.name]: gameStatsPatched.record,
  [maintenancePatched.name]: maintenancePatched.record,
} as const satisfies Record<string, z.ZodType>;

export type SignalName = keyof typeof signals;
export type SignalRecord<Name extends SignalName> = z.infer<(typeof signals)[Name]>;

export type EventName = keyof typeof events;
export type EventRecord<Name extends EventName> = z.infer<(typeof events)[Name]>;
