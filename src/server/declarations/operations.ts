import * as activities from '../../features/activities/operations/activities.ts';
import * as administrators from '../../features/administration/administrators/operations/administrators.ts';
import * as backups from '../../features/administration/operations/backups.ts';
import * as managedGames from '../../features/administration/operations/games.ts';
import * as logs from '../../features/administration/operations/logs.ts';
import * as managedPlayers from '../../features/administration/operations/players.ts';
import * as server from '../../features/administration/operations/server.ts';
import * as batches from '../../features/batches/operations/batch.ts';
import * as calendar from '../../features/calendar/operations/calendar.ts';
import * as subscriptions from '../../features/events/operations/subscriptions.ts';
import * as blocks from '../../features/friends/operations/blocks.ts';
import * as friendCodes from '../../features/friends/operations/friend-codes.ts';
import * as friends from '../../features/friends/operations/friends.ts';
import * as invites from '../../features/friends/operations/invites.ts';
import * as otherPlayers from '../../features/friends/operations/other-players.ts';
import * as friendPresence from '../../features/friends/operations/presence.ts';
import * as privacy from '../../features/friends/operations/privacy.ts';
import * as config from '../../features/game-config/operations/config.ts';
import * as configVersions from '../../features/game-config/operations/config-versions.ts';
import * as gameSecrets from '../../features/games/operations/game-secrets.ts';
import * as games from '../../features/games/operations/games.ts';
import * as library from '../../features/games/operations/library.ts';
import * as guestDevices from '../../features/guests/operations/guest-devices.ts';
import * as guestUpgrade from '../../features/guests/operations/guest-upgrade.ts';
import * as guests from '../../features/guests/operations/guests.ts';
import * as maintenance from '../../features/maintenance/operations/maintenance.ts';
import * as messageChannels from '../../features/messages/operations/message-channels.ts';
import * as messages from '../../features/messages/operations/messages.ts';
import * as participants from '../../features/messages/operations/participants.ts';
import * as reactions from '../../features/messages/operations/reactions.ts';
import * as readMarkers from '../../features/messages/operations/read-markers.ts';
import * as mutes from '../../features/moderation/operations/mutes.ts';
import * as reports from '../../features/moderation/reports/operations/reports.ts';
import * as news from '../../features/news/operations/news.ts';
import * as mutedGames from '../../features/notifications/operations/muted-games.ts';
import * as notifications from '../../features/notifications/operations/notifications.ts';
import type { Topic } from '../../features/operation.ts';
import * as playSessions from '../../features/play-sessions/operations/play-sessions.ts';
import * as players from '../../features/players/operations/players.ts';
import * as playing from '../../features/playtime/operations/playing.ts';
import * as playtime from '../../features/playtime/operations/playtime.ts';
import * as actions from '../../features/queue/operations/actions.ts';
import * as releases from '../../features/releases/operations/releases.ts';
import * as rules from '../../features/rules/operations/rules.ts';
import * as leaderboardScores from '../../features/scores/operations/leaderboard-scores.ts';
import * as leaderboardSeasons from '../../features/scores/operations/leaderboard-seasons.ts';
import * as leaderboards from '../../features/scores/operations/leaderboards.ts';
import * as scores from '../../features/scores/operations/scores.ts';
import * as channelSessions from '../../features/sessions/operations/channel-sessions.ts';
import * as ownSession from '../../features/sessions/operations/own-session.ts';
import * as presence from '../../features/sessions/operations/presence.ts';
import * as sessions from '../../features/sessions/operations/sessions.ts';
import * as signIn from '../../features/sessions/operations/sign-in.ts';
import * as playerStates from '../../features/states/operations/player-states.ts';
import * as states from '../../features/states/operations/states.ts';
import * as webhooks from '../../features/webhooks/operations/webhooks.ts';

/**
 * Every file of operations by the topic under which documents list them, in their order, and the topic's page of the
 * manual. All operations that a file exports are callable.
 */
const topics = [
  {
    title: 'Scores and leaderboards',
    page: 'leaderboards',
    files: [scores, leaderboardScores, leaderboards, leaderboardSeasons],
  },
  { title: 'States', page: 'states', files: [states, playerStates] },
  { title: 'Play sessions', page: 'notifications#play-sessions', files: [playSessions] },
  { title: 'Activities', page: 'notifications#activities', files: [activities] },
  { title: 'Notifications', page: 'notifications', files: [notifications, mutedGames] },
  { title: 'Rules', page: 'rules', files: [rules] },
  {
    title: 'Messages',
    page: 'messages',
    files: [messageChannels, messages, participants, readMarkers, reactions],
  },
  {
    title: 'Friends',
    page: 'friends',
    files: [friends, friendCodes, privacy, otherPlayers, invites, friendPresence],
  },
  { title: 'Live events', page: 'live-events', files: [subscriptions] },
  { title: 'News and releases', page: 'live-ops#news', files: [news, releases] },
  { title: 'Playing and playtime', page: 'launcher-home#playing', files: [playing, playtime] },
  { title: 'Configuration', page: 'live-ops#remote-config', files: [config, configVersions] },
  { title: 'Games', page: 'administration#games', files: [games, library, gameSecrets, managedGames] },
  { title: 'Calendar and maintenance', page: 'live-ops#calendar', files: [calendar, maintenance] },
  { title: 'Signing in', page: 'authentication', files: [signIn] },
  { title: 'Guests', page: 'guests', files: [guests, guestDevices, guestUpgrade] },
  {
    title: 'Players and sessions',
    page: 'authentication#channel-sessions',
    files: [presence, ownSession, channelSessions, sessions, players, managedPlayers],
  },
  { title: 'Blocks and moderation', page: 'moderation', files: [blocks, reports, mutes] },
  { title: 'Batches', page: 'game-servers#batches', files: [batches] },
  { title: 'On-chain actions', page: 'rules', files: [actions] },
  { title: 'Webhooks', page: 'webhooks', files: [webhooks] },
  { title: 'Administration', page: 'administration', files: [logs, server, administrators, backups] },
];

/** The operations among the exports of a file: the type guard below tells them apart by the same field. */
type OperationIn<File> = File extends unknown ? Extract<File[keyof File], { handler: unknown }> : never;

type OneOperation = OperationIn<(typeof topics)[number]['files'][number]>;

/** The operations of one file by name, because a bundle may order exports differently. */
const operationsIn = (file: (typeof topics)[number]['files'][number]): OneOperation[] =>
  Object.values(file)
    .filter((value): value is OneOperation => 'handler' in value)
    .sort((one, other) => (one.name < other.name ? -1 : 1));

/** Every operation. */
export const operations: readonly OneOperation[] = topics.flatMap(({ files }) => files.flatMap(operationsIn));

/** The topics of the API reference, each with the names of its operations. */
export const operationTopics: readonly Topic[] = topics.map(({ title, page, files }) => ({
  title,
  page,
  operations: files.flatMap(operationsIn).map(({ name }) => name),
}));

type NeedsOf<One> = One extends { handler(request: never, services: infer Needs): unknown }
  ? (needs: Needs) => void
  : never;

/** The names of the administrators' operations that a role may call. */
export const operationsOfRole: administrators.OperationsOfRole = (role) =>
  operations.flatMap((one) =>
    'roles' in one && one.roles?.some((allowed) => allowed === role) ? [one.name] : [],
  );

/**
 * The services that the handlers of all operations need: the intersection of their `services` types, inferred from a
 * union of functions that take them as parameters.
 */
export type Services = NeedsOf<(typeof operations)[number]> extends (needs: infer All) => void ? All : never;
