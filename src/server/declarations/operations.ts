import { getActivities } from '../../features/activities/operations/get-activities.ts';
import { sendCustomActivity } from '../../features/activities/operations/send-custom-activity.ts';
import { createAdministrator } from '../../features/administration/administrators/operations/create-administrator.ts';
import { listAdministrators } from '../../features/administration/administrators/operations/list-administrators.ts';
import { revokeAdministrator } from '../../features/administration/administrators/operations/revoke-administrator.ts';
import { rotateAdministratorToken } from '../../features/administration/administrators/operations/rotate-administrator-token.ts';
import { updateAdministrator } from '../../features/administration/administrators/operations/update-administrator.ts';
import {
  type OperationsOfRole,
  whoAmI,
} from '../../features/administration/administrators/operations/who-am-i.ts';
import { banPlayer } from '../../features/administration/operations/ban-player.ts';
import { deleteGame } from '../../features/administration/operations/delete-game.ts';
import { downloadBackup } from '../../features/administration/operations/download-backup.ts';
import { erasePlayer } from '../../features/administration/operations/erase-player.ts';
import { getPlayer } from '../../features/administration/operations/get-player.ts';
import { listAuditLog } from '../../features/administration/operations/list-audit-log.ts';
import { listBackups } from '../../features/administration/operations/list-backups.ts';
import { listEvents } from '../../features/administration/operations/list-events.ts';
import { listRefusals } from '../../features/administration/operations/list-refusals.ts';
import { listRequests } from '../../features/administration/operations/list-requests.ts';
import { makeBackup } from '../../features/administration/operations/make-backup.ts';
import { removeBackup } from '../../features/administration/operations/remove-backup.ts';
import { serverFigures } from '../../features/administration/operations/server-figures.ts';
import { serverSummary } from '../../features/administration/operations/server-summary.ts';
import { setBackupSchedule } from '../../features/administration/operations/set-backup-schedule.ts';
import { unbanPlayer } from '../../features/administration/operations/unban-player.ts';
import { updateGame } from '../../features/administration/operations/update-game.ts';
import { batch } from '../../features/batches/operations/batch.ts';
import { getSubscribedChannels } from '../../features/events/operations/get-subscribed-channels.ts';
import { subscribe } from '../../features/events/operations/subscribe.ts';
import { unsubscribe } from '../../features/events/operations/unsubscribe.ts';
import { createGame } from '../../features/games/operations/create-game.ts';
import { getGames } from '../../features/games/operations/get-games.ts';
import { listGameSecrets } from '../../features/games/operations/list-game-secrets.ts';
import { listGames } from '../../features/games/operations/list-games.ts';
import { revokeGameSecret } from '../../features/games/operations/revoke-game-secret.ts';
import { rotateGameSecret } from '../../features/games/operations/rotate-game-secret.ts';
import { addGuestDevice } from '../../features/guests/operations/add-guest-device.ts';
import { createGuest } from '../../features/guests/operations/create-guest.ts';
import { listGuestDevices } from '../../features/guests/operations/list-guest-devices.ts';
import { openGuestSession } from '../../features/guests/operations/open-guest-session.ts';
import { removeGuestDevice } from '../../features/guests/operations/remove-guest-device.ts';
import { requestGuestUpgrade } from '../../features/guests/operations/request-guest-upgrade.ts';
import { signInGuest } from '../../features/guests/operations/sign-in-guest.ts';
import { upgradeGuest } from '../../features/guests/operations/upgrade-guest.ts';
import { vouchForPlayer } from '../../features/guests/operations/vouch-for-player.ts';
import { blockPlayer } from '../../features/messages/blocks/operations/block-player.ts';
import { listBlockedPlayers } from '../../features/messages/blocks/operations/list-blocked-players.ts';
import { unblockPlayer } from '../../features/messages/blocks/operations/unblock-player.ts';
import { addParticipant } from '../../features/messages/operations/add-participant.ts';
import { addReaction } from '../../features/messages/operations/add-reaction.ts';
import { createMessageChannel } from '../../features/messages/operations/create-message-channel.ts';
import { editChannelMessage } from '../../features/messages/operations/edit-channel-message.ts';
import { editGroupInfo } from '../../features/messages/operations/edit-group-info.ts';
import { getChannelMessages } from '../../features/messages/operations/get-channel-messages.ts';
import { getChannelParticipants } from '../../features/messages/operations/get-channel-participants.ts';
import { getMessageChannels } from '../../features/messages/operations/get-message-channels.ts';
import { getUnreadCount } from '../../features/messages/operations/get-unread-count.ts';
import { listGameChannels } from '../../features/messages/operations/list-game-channels.ts';
import { listMessages } from '../../features/messages/operations/list-messages.ts';
import { listPlayerMessages } from '../../features/messages/operations/list-player-messages.ts';
import { markMessagesRead } from '../../features/messages/operations/mark-messages-read.ts';
import { removeMessage } from '../../features/messages/operations/remove-message.ts';
import { removeParticipant } from '../../features/messages/operations/remove-participant.ts';
import { removeReaction } from '../../features/messages/operations/remove-reaction.ts';
import { sendChannelMessage } from '../../features/messages/operations/send-channel-message.ts';
import { sendTypingSignal } from '../../features/messages/operations/send-typing-signal.ts';
import { unsendChannelMessage } from '../../features/messages/operations/unsend-channel-message.ts';
import { listMutes } from '../../features/moderation/operations/list-mutes.ts';
import { muteInGame } from '../../features/moderation/operations/mute-in-game.ts';
import { muteParticipant } from '../../features/moderation/operations/mute-participant.ts';
import { mutePlayer } from '../../features/moderation/operations/mute-player.ts';
import { getReport } from '../../features/moderation/reports/operations/get-report.ts';
import { listReports } from '../../features/moderation/reports/operations/list-reports.ts';
import { reportMessage } from '../../features/moderation/reports/operations/report-message.ts';
import { reportPlayer } from '../../features/moderation/reports/operations/report-player.ts';
import { resolveReport } from '../../features/moderation/reports/operations/resolve-report.ts';
import { listNotifications } from '../../features/notifications/operations/list-notifications.ts';
import { markNotificationsRead } from '../../features/notifications/operations/mark-notifications-read.ts';
import { notifyPlayers } from '../../features/notifications/operations/notify-players.ts';
import { sendNotification } from '../../features/notifications/operations/send-notification.ts';
import { getPlaySession } from '../../features/play-sessions/operations/get-play-session.ts';
import { listPlaySessions } from '../../features/play-sessions/operations/list-play-sessions.ts';
import { trackGameSessions } from '../../features/play-sessions/operations/track-game-sessions.ts';
import { listPlayers } from '../../features/players/operations/list-players.ts';
import { setUsername } from '../../features/players/operations/set-username.ts';
import { updatePlayer } from '../../features/players/operations/update-player.ts';
import { updatePlayerProfile } from '../../features/players/operations/update-player-profile.ts';
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
import { channelHeartbeat } from '../../features/sessions/operations/channel-heartbeat.ts';
import { channelStatus } from '../../features/sessions/operations/channel-status.ts';
import { createUnverifiedChannel } from '../../features/sessions/operations/create-unverified-channel.ts';
import { endChannelSession } from '../../features/sessions/operations/end-channel-session.ts';
import { getPlayerPresence } from '../../features/sessions/operations/get-player-presence.ts';
import { listChannelSessions } from '../../features/sessions/operations/list-channel-sessions.ts';
import { listSessions } from '../../features/sessions/operations/list-sessions.ts';
import { openChannelSession } from '../../features/sessions/operations/open-channel-session.ts';
import { openSession } from '../../features/sessions/operations/open-session.ts';
import { revokeChannelSession } from '../../features/sessions/operations/revoke-channel-session.ts';
import { revokeSession } from '../../features/sessions/operations/revoke-session.ts';
import { verifyUnverifiedChannel } from '../../features/sessions/operations/verify-unverified-channel.ts';
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

/** Every operation. A new one needs its own file and a line here. */
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
  serverFigures,
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
