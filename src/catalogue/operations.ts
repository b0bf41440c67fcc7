import { getActivities } from '../activities/operations/get-activities.ts';
import { sendCustomActivity } from '../activities/operations/send-custom-activity.ts';
import { banPlayer } from '../administration/operations/ban-player.ts';
import { deleteGame } from '../administration/operations/delete-game.ts';
import { downloadBackup } from '../administration/operations/download-backup.ts';
import { erasePlayer } from '../administration/operations/erase-player.ts';
import { getPlayer } from '../administration/operations/get-player.ts';
import { listAuditLog } from '../administration/operations/list-audit-log.ts';
import { listBackups } from '../administration/operations/list-backups.ts';
import { listEvents } from '../administration/operations/list-events.ts';
import { listRefusals } from '../administration/operations/list-refusals.ts';
import { listRequests } from '../administration/operations/list-requests.ts';
import { makeBackup } from '../administration/operations/make-backup.ts';
import { removeBackup } from '../administration/operations/remove-backup.ts';
import { serverFigures } from '../administration/operations/server-figures.ts';
import { serverSummary } from '../administration/operations/server-summary.ts';
import { setBackupSchedule } from '../administration/operations/set-backup-schedule.ts';
import { unbanPlayer } from '../administration/operations/unban-player.ts';
import { updateGame } from '../administration/operations/update-game.ts';
import { createAdministrator } from '../administrators/operations/create-administrator.ts';
import { listAdministrators } from '../administrators/operations/list-administrators.ts';
import { revokeAdministrator } from '../administrators/operations/revoke-administrator.ts';
import { rotateAdministratorToken } from '../administrators/operations/rotate-administrator-token.ts';
import { updateAdministrator } from '../administrators/operations/update-administrator.ts';
import { type OperationsOfRole, whoAmI } from '../administrators/operations/who-am-i.ts';
import { batch } from '../batches/operations/batch.ts';
import { blockPlayer } from '../blocks/operations/block-player.ts';
import { listBlockedPlayers } from '../blocks/operations/list-blocked-players.ts';
import { unblockPlayer } from '../blocks/operations/unblock-player.ts';
import { createGame } from '../games/operations/create-game.ts';
import { getGames } from '../games/operations/get-games.ts';
import { listGameSecrets } from '../games/operations/list-game-secrets.ts';
import { listGames } from '../games/operations/list-games.ts';
import { revokeGameSecret } from '../games/operations/revoke-game-secret.ts';
import { rotateGameSecret } from '../games/operations/rotate-game-secret.ts';
import { addGuestDevice } from '../guests/operations/add-guest-device.ts';
import { createGuest } from '../guests/operations/create-guest.ts';
import { listGuestDevices } from '../guests/operations/list-guest-devices.ts';
import { openGuestSession } from '../guests/operations/open-guest-session.ts';
import { removeGuestDevice } from '../guests/operations/remove-guest-device.ts';
import { requestGuestUpgrade } from '../guests/operations/request-guest-upgrade.ts';
import { signInGuest } from '../guests/operations/sign-in-guest.ts';
import { upgradeGuest } from '../guests/operations/upgrade-guest.ts';
import { vouchForPlayer } from '../guests/operations/vouch-for-player.ts';
import { getSubscribedChannels } from '../live/operations/get-subscribed-channels.ts';
import { subscribe } from '../live/operations/subscribe.ts';
import { unsubscribe } from '../live/operations/unsubscribe.ts';
import { addParticipant } from '../messages/operations/add-participant.ts';
import { addReaction } from '../messages/operations/add-reaction.ts';
import { createMessageChannel } from '../messages/operations/create-message-channel.ts';
import { editChannelMessage } from '../messages/operations/edit-channel-message.ts';
import { editGroupInfo } from '../messages/operations/edit-group-info.ts';
import { getChannelMessages } from '../messages/operations/get-channel-messages.ts';
import { getChannelParticipants } from '../messages/operations/get-channel-participants.ts';
import { getMessageChannels } from '../messages/operations/get-message-channels.ts';
import { getUnreadCount } from '../messages/operations/get-unread-count.ts';
import { listGameChannels } from '../messages/operations/list-game-channels.ts';
import { listMessages } from '../messages/operations/list-messages.ts';
import { listPlayerMessages } from '../messages/operations/list-player-messages.ts';
import { markMessagesRead } from '../messages/operations/mark-messages-read.ts';
import { removeMessage } from '../messages/operations/remove-message.ts';
import { removeParticipant } from '../messages/operations/remove-participant.ts';
import { removeReaction } from '../messages/operations/remove-reaction.ts';
import { sendChannelMessage } from '../messages/operations/send-channel-message.ts';
import { sendTypingSignal } from '../messages/operations/send-typing-signal.ts';
import { unsendChannelMessage } from '../messages/operations/unsend-channel-message.ts';
import { listMutes } from '../moderation/operations/list-mutes.ts';
import { muteInGame } from '../moderation/operations/mute-in-game.ts';
import { muteParticipant } from '../moderation/operations/mute-participant.ts';
import { mutePlayer } from '../moderation/operations/mute-player.ts';
import { listNotifications } from '../notifications/operations/list-notifications.ts';
import { markNotificationsRead } from '../notifications/operations/mark-notifications-read.ts';
import { notifyPlayers } from '../notifications/operations/notify-players.ts';
import { sendNotification } from '../notifications/operations/send-notification.ts';
import { getPlaySession } from '../play-sessions/operations/get-play-session.ts';
import { listPlaySessions } from '../play-sessions/operations/list-play-sessions.ts';
import { trackGameSessions } from '../play-sessions/operations/track-game-sessions.ts';
import { listPlayers } from '../players/operations/list-players.ts';
import { setUsername } from '../players/operations/set-username.ts';
import { updatePlayer } from '../players/operations/update-player.ts';
import { updatePlayerProfile } from '../players/operations/update-player-profile.ts';
import { cancelAction } from '../queue/operations/cancel-action.ts';
import { getAction } from '../queue/operations/get-action.ts';
import { listActions } from '../queue/operations/list-actions.ts';
import { retryAction } from '../queue/operations/retry-action.ts';
import { getReport } from '../reports/operations/get-report.ts';
import { listReports } from '../reports/operations/list-reports.ts';
import { reportMessage } from '../reports/operations/report-message.ts';
import { reportPlayer } from '../reports/operations/report-player.ts';
import { resolveReport } from '../reports/operations/resolve-report.ts';
import { getRules } from '../rules/operations/get-rules.ts';
import { setRules } from '../rules/operations/set-rules.ts';
import { testRules } from '../rules/operations/test-rules.ts';
import { triggerRulesEngine } from '../rules/operations/trigger-rules-engine.ts';
import { createLeaderboard } from '../scores/operations/create-leaderboard.ts';
import { endLeaderboardSeason } from '../scores/operations/end-leaderboard-season.ts';
import { getGameScoresLeaderboard } from '../scores/operations/get-game-scores-leaderboard.ts';
import { getLeaderboardAmong } from '../scores/operations/get-leaderboard-among.ts';
import { getLeaderboardAround } from '../scores/operations/get-leaderboard-around.ts';
import { getLeaderboardSeasons } from '../scores/operations/get-leaderboard-seasons.ts';
import { getLeaderboards } from '../scores/operations/get-leaderboards.ts';
import { getUserScore } from '../scores/operations/get-user-score.ts';
import { getUserScores } from '../scores/operations/get-user-scores.ts';
import { getUsersPositionInGameScoreLeaderboard } from '../scores/operations/get-users-position-in-game-score-leaderboard.ts';
import { listLeaderboardScores } from '../scores/operations/list-leaderboard-scores.ts';
import { listLeaderboardSeasons } from '../scores/operations/list-leaderboard-seasons.ts';
import { listLeaderboards } from '../scores/operations/list-leaderboards.ts';
import { listPlayerScores } from '../scores/operations/list-player-scores.ts';
import { readLeaderboard } from '../scores/operations/read-leaderboard.ts';
import { removeLeaderboard } from '../scores/operations/remove-leaderboard.ts';
import { removeScore } from '../scores/operations/remove-score.ts';
import { resetLeaderboard } from '../scores/operations/reset-leaderboard.ts';
import { setUserScore } from '../scores/operations/set-user-score.ts';
import { updateLeaderboard } from '../scores/operations/update-leaderboard.ts';
import { channelHeartbeat } from '../sessions/operations/channel-heartbeat.ts';
import { channelStatus } from '../sessions/operations/channel-status.ts';
import { createUnverifiedChannel } from '../sessions/operations/create-unverified-channel.ts';
import { endChannelSession } from '../sessions/operations/end-channel-session.ts';
import { getPlayerPresence } from '../sessions/operations/get-player-presence.ts';
import { listChannelSessions } from '../sessions/operations/list-channel-sessions.ts';
import { listSessions } from '../sessions/operations/list-sessions.ts';
import { openChannelSession } from '../sessions/operations/open-channel-session.ts';
import { openSession } from '../sessions/operations/open-session.ts';
import { revokeChannelSession } from '../sessions/operations/revoke-channel-session.ts';
import { revokeSession } from '../sessions/operations/revoke-session.ts';
import { verifyUnverifiedChannel } from '../sessions/operations/verify-unverified-channel.ts';
import { getPlayerState } from '../states/operations/get-player-state.ts';
import { getPublicStates } from '../states/operations/get-public-states.ts';
import { getStates } from '../states/operations/get-states.ts';
import { listStates } from '../states/operations/list-states.ts';
import { patchState } from '../states/operations/patch-state.ts';
import { removeState } from '../states/operations/remove-state.ts';
import { setPlayerState } from '../states/operations/set-player-state.ts';
import { setState } from '../states/operations/set-state.ts';
import { setStates } from '../states/operations/set-states.ts';
import { createWebhook } from '../webhooks/operations/create-webhook.ts';
import { listWebhookDeliveries } from '../webhooks/operations/list-webhook-deliveries.ts';
import { listWebhooks } from '../webhooks/operations/list-webhooks.ts';
import { removeWebhook } from '../webhooks/operations/remove-webhook.ts';
import { replayWebhookDelivery } from '../webhooks/operations/replay-webhook-delivery.ts';
import { rotateWebhookSecret } from '../webhooks/operations/rotate-webhook-secret.ts';
import { testWebhook } from '../webhooks/operations/test-webhook.ts';
import { updateWebhook } from '../webhooks/operations/update-webhook.ts';

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
