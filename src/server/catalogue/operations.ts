import { getActivities, sendCustomActivity } from '../../features/activities/operations/activities.ts';
import {
  createAdministrator,
  listAdministrators,
  type OperationsOfRole,
  revokeAdministrator,
  rotateAdministratorToken,
  updateAdministrator,
  whoAmI,
} from '../../features/administration/administrators/operations/administrators.ts';
import {
  downloadBackup,
  listBackups,
  makeBackup,
  removeBackup,
  setBackupSchedule,
} from '../../features/administration/operations/backups.ts';
import { deleteGame, updateGame } from '../../features/administration/operations/games.ts';
import {
  listAuditLog,
  listEvents,
  listRefusals,
  listRequests,
} from '../../features/administration/operations/logs.ts';
import {
  banPlayer,
  erasePlayer,
  getPlayer,
  unbanPlayer,
} from '../../features/administration/operations/players.ts';
import { getServerStats, serverSummary } from '../../features/administration/operations/server.ts';
import { batch } from '../../features/batches/operations/batch.ts';
import {
  getSubscribedChannels,
  subscribe,
  unsubscribe,
} from '../../features/events/operations/subscriptions.ts';
import {
  blockPlayer,
  listBlockedPlayers,
  unblockPlayer,
} from '../../features/messages/blocks/operations/blocks.ts';
import {
  createMessageChannel,
  editGroupInfo,
  getMessageChannels,
  listGameChannels,
} from '../../features/messages/operations/message-channels.ts';
import {
  editChannelMessage,
  getChannelMessages,
  listMessages,
  listPlayerMessages,
  removeMessage,
  sendChannelMessage,
  sendTypingSignal,
  unsendChannelMessage,
} from '../../features/messages/operations/messages.ts';
import {
  addParticipant,
  getChannelParticipants,
  removeParticipant,
} from '../../features/messages/operations/participants.ts';
import { addReaction, removeReaction } from '../../features/messages/operations/reactions.ts';
import { getUnreadCount, markMessagesRead } from '../../features/messages/operations/read-markers.ts';
import {
  listMutes,
  muteInGame,
  muteParticipant,
  mutePlayer,
} from '../../features/moderation/operations/mutes.ts';
import {
  getReport,
  listReports,
  reportMessage,
  reportPlayer,
  resolveReport,
} from '../../features/moderation/reports/operations/reports.ts';
import {
  listNotifications,
  markNotificationsRead,
  notifyPlayers,
  sendNotification,
} from '../../features/notifications/operations/notifications.ts';
import {
  getPlaySession,
  listPlaySessions,
  trackGameSessions,
} from '../../features/play-sessions/operations/play-sessions.ts';
import {
  listGameSecrets,
  revokeGameSecret,
  rotateGameSecret,
} from '../../features/games/operations/game-secrets.ts';
import { createGame, getGames, listGames } from '../../features/games/operations/games.ts';
import {
  addGuestDevice,
  listGuestDevices,
  removeGuestDevice,
} from '../../features/guests/operations/guest-devices.ts';
import { requestGuestUpgrade, upgradeGuest } from '../../features/guests/operations/guest-upgrade.ts';
import {
  createGuest,
  openGuestSession,
  signInGuest,
  vouchForPlayer,
} from '../../features/guests/operations/guests.ts';
import {
  listPlayers,
  setUsername,
  updatePlayer,
  updatePlayerProfile,
} from '../../features/players/operations/players.ts';
import { cancelAction } from '../../features/queue/operations/cancel-action.ts';
import { getAction } from '../../features/queue/operations/get-action.ts';
import { listActions } from '../../features/queue/operations/list-actions.ts';
import { retryAction } from '../../features/queue/operations/retry-action.ts';
import { getRules } from '../../features/rules/operations/get-rules.ts';
import { setRules } from '../../features/rules/operations/set-rules.ts';
import { testRules } from '../../features/rules/operations/test-rules.ts';
import { triggerRulesEngine } from '../../features/rules/operations/trigger-rules-engine.ts';
import { createLeaderboard } from '../../features/scores/operations/create-leaderboard.ts';
import { endLeaderboardSeason } from '../../features/scores/operations/end-leaderboard-season.ts';
import { getGameScoresLeaderboard } from '../../features/scores/operations/get-game-scores-leaderboard.ts';
import { getLeaderboardAmong } from '../../features/scores/operations/get-leaderboard-among.ts';
import { getLeaderboardAround } from '../../features/scores/operations/get-leaderboard-around.ts';
import { getLeaderboardSeasons } from '../../features/scores/operations/get-leaderboard-seasons.ts';
import { getLeaderboards } from '../../features/scores/operations/get-leaderboards.ts';
import { getUserScore } from '../../features/scores/operations/get-user-score.ts';
import { getUserScores } from '../../features/scores/operations/get-user-scores.ts';
import { getUsersPositionInGameScoreLeaderboard } from '../../features/scores/operations/get-users-position-in-game-score-leaderboard.ts';
import { listLeaderboardScores } from '../../features/scores/operations/list-leaderboard-scores.ts';
import { listLeaderboardSeasons } from '../../features/scores/operations/list-leaderboard-seasons.ts';
import { listLeaderboards } from '../../features/scores/operations/list-leaderboards.ts';
import { listPlayerScores } from '../../features/scores/operations/list-player-scores.ts';
import { readLeaderboard } from '../../features/scores/operations/read-leaderboard.ts';
import { removeLeaderboard } from '../../features/scores/operations/remove-leaderboard.ts';
import { removeScore } from '../../features/scores/operations/remove-score.ts';
import { resetLeaderboard } from '../../features/scores/operations/reset-leaderboard.ts';
import { setUserScore } from '../../features/scores/operations/set-user-score.ts';
import { updateLeaderboard } from '../../features/scores/operations/update-leaderboard.ts';
import {
  endChannelSession,
  listChannelSessions,
  openChannelSession,
  revokeChannelSession,
} from '../../features/sessions/operations/channel-sessions.ts';
import {
  channelHeartbeat,
  channelStatus,
  getPlayerPresence,
} from '../../features/sessions/operations/presence.ts';
import { listSessions, openSession, revokeSession } from '../../features/sessions/operations/sessions.ts';
import {
  createUnverifiedChannel,
  verifyUnverifiedChannel,
} from '../../features/sessions/operations/sign-in.ts';
import { getPlayerState } from '../../features/states/operations/get-player-state.ts';
import { getPublicStates } from '../../features/states/operations/get-public-states.ts';
import { getStates } from '../../features/states/operations/get-states.ts';
import { listStates } from '../../features/states/operations/list-states.ts';
import { patchState } from '../../features/states/operations/patch-state.ts';
import { removeState } from '../../features/states/operations/remove-state.ts';
import { setPlayerState } from '../../features/states/operations/set-player-state.ts';
import { setState } from '../../features/states/operations/set-state.ts';
import { setStates } from '../../features/states/operations/set-states.ts';
import { createWebhook } from '../../features/webhooks/operations/create-webhook.ts';
import { listWebhookDeliveries } from '../../features/webhooks/operations/list-webhook-deliveries.ts';
import { listWebhooks } from '../../features/webhooks/operations/list-webhooks.ts';
import { removeWebhook } from '../../features/webhooks/operations/remove-webhook.ts';
import { replayWebhookDelivery } from '../../features/webhooks/operations/replay-webhook-delivery.ts';
import { rotateWebhookSecret } from '../../features/webhooks/operations/rotate-webhook-secret.ts';
import { testWebhook } from '../../features/webhooks/operations/test-webhook.ts';
import { updateWebhook } from '../../features/webhooks/operations/update-webhook.ts';

/** Every operation. A new one stands in the file of its noun and needs a line here. */
export const operations = [
  setUserScore,
  getUserScore,
  getUserScores,
  getGameScoresLeaderboard,
  getUsersPositionInGameScoreLeaderboard,
  getLeaderboards,
  getLeaderboardAround,
  getLeaderboardAmong,
  getLeaderboardSeasons,
  readLeaderboard,
  endLeaderboardSeason,
  setState,
  setStates,
  patchState,
  removeState,
  getStates,
  getPublicStates,
  trackGameSessions,
  sendCustomActivity,
  getActivities,
  sendNotification,
  triggerRulesEngine,
  getMessageChannels,
  createMessageChannel,
  getChannelMessages,
  sendChannelMessage,
  editChannelMessage,
  unsendChannelMessage,
  getChannelParticipants,
  addParticipant,
  removeParticipant,
  editGroupInfo,
  sendTypingSignal,
  markMessagesRead,
  getUnreadCount,
  addReaction,
  removeReaction,
  subscribe,
  unsubscribe,
  getSubscribedChannels,
  getGames,
  createUnverifiedChannel,
  verifyUnverifiedChannel,
  createGuest,
  signInGuest,
  requestGuestUpgrade,
  upgradeGuest,
  listGuestDevices,
  addGuestDevice,
  removeGuestDevice,
  vouchForPlayer,
  channelStatus,
  channelHeartbeat,
  openChannelSession,
  listChannelSessions,
  endChannelSession,
  revokeChannelSession,
  notifyPlayers,
  setUsername,
  updatePlayerProfile,
  getPlayerPresence,
  listNotifications,
  markNotificationsRead,
  blockPlayer,
  unblockPlayer,
  listBlockedPlayers,
  reportMessage,
  reportPlayer,
  muteParticipant,
  muteInGame,
  batch,
  createGame,
  listGames,
  updateGame,
  deleteGame,
  rotateGameSecret,
  listGameSecrets,
  revokeGameSecret,
  getRules,
  setRules,
  testRules,
  listActions,
  getAction,
  retryAction,
  cancelAction,
  createWebhook,
  listWebhooks,
  updateWebhook,
  removeWebhook,
  rotateWebhookSecret,
  testWebhook,
  listWebhookDeliveries,
  replayWebhookDelivery,
  listPlayers,
  getPlayer,
  updatePlayer,
  banPlayer,
  unbanPlayer,
  erasePlayer,
  listSessions,
  openSession,
  openGuestSession,
  revokeSession,
  listPlayerScores,
  removeScore,
  createLeaderboard,
  listLeaderboards,
  updateLeaderboard,
  removeLeaderboard,
  resetLeaderboard,
  listLeaderboardScores,
  listLeaderboardSeasons,
  listGameChannels,
  listMessages,
  listPlayerMessages,
  removeMessage,
  listReports,
  getReport,
  resolveReport,
  mutePlayer,
  listMutes,
  listStates,
  getPlayerState,
  setPlayerState,
  listPlaySessions,
  getPlaySession,
  listEvents,
  listAuditLog,
  listRefusals,
  listRequests,
  getServerStats,
  serverSummary,
  whoAmI,
  listAdministrators,
  createAdministrator,
  updateAdministrator,
  rotateAdministratorToken,
  revokeAdministrator,
  listBackups,
  makeBackup,
  downloadBackup,
  removeBackup,
  setBackupSchedule,
] as const;

type NeedsOf<One> = One extends { handler(request: never, services: infer Needs): unknown }
  ? (needs: Needs) => void
  : never;

/** The names of the administrators' operations that a role may call. */
export const operationsOfRole: OperationsOfRole = (role) =>
  operations.flatMap((one) =>
    'roles' in one && one.roles?.some((allowed) => allowed === role) ? [one.name] : [],
  );

/**
 * The services that the handlers of all operations need: the intersection of their `services` types, inferred from a
 * union of functions that take them as parameters.
 */
export type Services = NeedsOf<(typeof operations)[number]> extends (needs: infer All) => void ? All : never;
