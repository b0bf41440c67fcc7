import * as events from '../../core/events/commands.ts';
import type { AnyCommand } from '../../core/storage/command.ts';
import * as activities from '../../features/activities/commands.ts';
import * as administrators from '../../features/administration/administrators/commands.ts';
import * as backups from '../../features/administration/backup-schedule.ts';
import * as administration from '../../features/administration/commands.ts';
import * as erasing from '../../features/administration/erasing-commands.ts';
import * as erasingEvents from '../../features/administration/erasing-event-commands.ts';
import * as erasingSteps from '../../features/administration/erasing-steps.ts';
import * as erasureSchedule from '../../features/administration/erasure-schedule.ts';
import * as gameErasing from '../../features/administration/game-erasing-commands.ts';
import { runAllOf } from '../../features/batches/commands.ts';
import * as calendar from '../../features/calendar/commands.ts';
import * as chains from '../../features/chains/commands.ts';
import * as friends from '../../features/friends/commands.ts';
import * as friendCodes from '../../features/friends/friend-code-commands.ts';
import * as invites from '../../features/friends/invite-commands.ts';
import * as privacy from '../../features/friends/privacy-commands.ts';
import * as gameConfig from '../../features/game-config/commands.ts';
import * as games from '../../features/games/commands.ts';
import * as library from '../../features/games/library-commands.ts';
import * as guests from '../../features/guests/commands.ts';
import { removeIdleGuestsOf } from '../../features/guests/idle-guests.ts';
import { upgradeGuestOf } from '../../features/guests/upgrade.ts';
import { runAsGuestOf } from '../../features/guests/writes/guest-writes.ts';
import * as idempotency from '../../features/idempotency/commands.ts';
import * as maintenance from '../../features/maintenance/commands.ts';
import * as blocks from '../../features/messages/blocks/commands.ts';
import * as channels from '../../features/messages/channel-commands.ts';
import * as messages from '../../features/messages/message-commands.ts';
import { runUnlessMutedOf } from '../../features/messages/mutes/run-unless-muted.ts';
import * as reactions from '../../features/messages/reaction-commands.ts';
import * as reading from '../../features/messages/read-marker-commands.ts';
import * as moderation from '../../features/moderation/commands.ts';
import * as reports from '../../features/moderation/reports/commands.ts';
import * as news from '../../features/news/commands.ts';
import * as notifications from '../../features/notifications/commands.ts';
import * as mutedGames from '../../features/notifications/muted-game-commands.ts';
import * as playSessions from '../../features/play-sessions/commands.ts';
import * as playerImport from '../../features/player-import/commands.ts';
import * as players from '../../features/players/commands.ts';
import * as playtime from '../../features/playtime/commands.ts';
import * as queue from '../../features/queue/commands.ts';
import * as releases from '../../features/releases/commands.ts';
import * as rules from '../../features/rules/commands.ts';
import * as prizes from '../../features/rules/prizes/commands.ts';
import * as scores from '../../features/scores/commands.ts';
import * as leaderboards from '../../features/scores/leaderboard-commands.ts';
import * as leaderboardScores from '../../features/scores/leaderboard-score-commands.ts';
import * as sessions from '../../features/sessions/commands.ts';
import * as serverKeys from '../../features/sessions/server-keys.ts';
import * as signIns from '../../features/sessions/sign-in-commands.ts';
import * as states from '../../features/states/commands.ts';
import * as webhooks from '../../features/webhooks/commands.ts';
import * as deliveries from '../../features/webhooks/delivery-commands.ts';
import { tables } from './tables.ts';

/** Every file that declares commands. */
const files: readonly Readonly<Record<string, unknown>>[] = [
  activities,
  administration,
  administrators,
  backups,
  blocks,
  calendar,
  channels,
  erasing,
  erasingEvents,
  erasingSteps,
  erasureSchedule,
  gameErasing,
  events,
  friends,
  friendCodes,
  invites,
  privacy,
  gameConfig,
  games,
  library,
  guests,
  idempotency,
  maintenance,
  messages,
  moderation,
  news,
  notifications,
  mutedGames,
  playerImport,
  playSessions,
  playtime,
  players,
  prizes,
  releases,
  reports,
  reactions,
  reading,
  scores,
  leaderboards,
  leaderboardScores,
  serverKeys,
  sessions,
  signIns,
  states,
  chains,
  queue,
  rules,
  webhooks,
  deliveries,
];

/** Every command of a file, by name. */
const declared: ReadonlyMap<string, AnyCommand> = byName(
  files.flatMap((file) => Object.values(file)).filter(isCommand),
);

/** Runs one of the other commands, which writes a text that others see, unless the player is muted. */
export const runUnlessMuted = runUnlessMutedOf((name) => declared.get(name));

/** Runs several of the other commands atomically. */
export const runAll = runAllOf(commandAmong([runUnlessMuted]));

/** Runs one of the other commands once per idempotency key. */
export const runOnce = idempotency.runOnceOf(commandAmong([runUnlessMuted, runAll]));

/** Runs one of the other commands for a guest. */
export const runAsGuest = runAsGuestOf(commandAmong([runUnlessMuted, runAll, runOnce]));

/** Upgrades a guest to a player with a wallet. */
export const upgradeGuest = upgradeGuestOf(tables);

/** Removes guests without any activity. */
export const removeIdleGuests = removeIdleGuestsOf(tables);

/** Every command, by name. */
export const commands: ReadonlyMap<string, AnyCommand> = byName([
  ...declared.values(),
  runUnlessMuted,
  runAll,
  runOnce,
  runAsGuest,
  upgradeGuest,
  removeIdleGuests,
]);

/** Looks up the declared commands, and these, which run others. */
function commandAmong(running: readonly AnyCommand[]): (name: string) => AnyCommand | undefined {
  const found = byName([...declared.values(), ...running]);
  return (name) => found.get(name);
}

/** Indexes commands by name. Engines look commands up by name only, so names must be unique. */
function byName(all: readonly AnyCommand[]): ReadonlyMap<string, AnyCommand> {
  const found = new Map<string, AnyCommand>();
  for (const command of all) {
    if (found.has(command.commandName)) throw new Error(`two commands are named ${command.commandName}`);
    found.set(command.commandName, command);
  }
  return found;
}

function isCommand(value: unknown): value is AnyCommand {
  return typeof value === 'function' && 'commandName' in value;
}
