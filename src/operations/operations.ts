import { getActivities } from './activities/get-activities.ts';
import { sendCustomActivity } from './activities/send-custom-activity.ts';
import { banPlayer } from './admin/ban-player.ts';
import { cancelAction } from './admin/cancel-action.ts';
import { createGame } from './admin/create-game.ts';
import { createWebhook } from './admin/create-webhook.ts';
import { erasePlayer } from './admin/erase-player.ts';
import { getAction } from './admin/get-action.ts';
import { getPlaySession } from './admin/get-play-session.ts';
import { getPlayerState } from './admin/get-player-state.ts';
import { getRules } from './admin/get-rules.ts';
import { listActions } from './admin/list-actions.ts';
import { listAuditLog } from './admin/list-audit-log.ts';
import { listEvents } from './admin/list-events.ts';
import { listGameChannels } from './admin/list-game-channels.ts';
import { listGameSecrets } from './admin/list-game-secrets.ts';
import { listGames } from './admin/list-games.ts';
import { listMessages } from './admin/list-messages.ts';
import { listPlaySessions } from './admin/list-play-sessions.ts';
import { listPlayers } from './admin/list-players.ts';
import { listSessions } from './admin/list-sessions.ts';
import { listStates } from './admin/list-states.ts';
import { listWebhookDeliveries } from './admin/list-webhook-deliveries.ts';
import { listWebhooks } from './admin/list-webhooks.ts';
import { openSession } from './admin/open-session.ts';
import { removeMessage } from './admin/remove-message.ts';
import { removeScore } from './admin/remove-score.ts';
import { removeWebhook } from './admin/remove-webhook.ts';
import { replayWebhookDelivery } from './admin/replay-webhook-delivery.ts';
import { retryAction } from './admin/retry-action.ts';
import { revokeGameSecret } from './admin/revoke-game-secret.ts';
import { revokeSession } from './admin/revoke-session.ts';
import { rotateGameSecret } from './admin/rotate-game-secret.ts';
import { rotateWebhookSecret } from './admin/rotate-webhook-secret.ts';
import { serverFigures } from './admin/server-figures.ts';
import { setRules } from './admin/set-rules.ts';
import { testRules } from './admin/test-rules.ts';
import { testWebhook } from './admin/test-webhook.ts';
import { unbanPlayer } from './admin/unban-player.ts';
import { updateGame } from './admin/update-game.ts';
import { updatePlayer } from './admin/update-player.ts';
import { updateWebhook } from './admin/update-webhook.ts';
import { channelHeartbeat } from './channel-sessions/channel-heartbeat.ts';
import { channelStatus } from './channel-sessions/channel-status.ts';
import { createUnverifiedChannel } from './channel-sessions/create-unverified-channel.ts';
import { endChannelSession } from './channel-sessions/end-channel-session.ts';
import { listChannelSessions } from './channel-sessions/list-channel-sessions.ts';
import { openChannelSession } from './channel-sessions/open-channel-session.ts';
import { revokeChannelSession } from './channel-sessions/revoke-channel-session.ts';
import { verifyUnverifiedChannel } from './channel-sessions/verify-unverified-channel.ts';
import { getGames } from './games/get-games.ts';
import { addParticipant } from './messages/add-participant.ts';
import { createMessageChannel } from './messages/create-message-channel.ts';
import { editChannelMessage } from './messages/edit-channel-message.ts';
import { editGroupInfo } from './messages/edit-group-info.ts';
import { getChannelMessages } from './messages/get-channel-messages.ts';
import { getChannelParticipants } from './messages/get-channel-participants.ts';
import { getMessageChannels } from './messages/get-message-channels.ts';
import { removeParticipant } from './messages/remove-participant.ts';
import { sendChannelMessage } from './messages/send-channel-message.ts';
import { sendTypingSignal } from './messages/send-typing-signal.ts';
import { unsendChannelMessage } from './messages/unsend-channel-message.ts';
import { sendNotification } from './notifications/send-notification.ts';
import { trackGameSessions } from './play-sessions/track-game-sessions.ts';
import { getSubscribedChannels } from './realtime-events/get-subscribed-channels.ts';
import { subscribe } from './realtime-events/subscribe.ts';
import { unsubscribe } from './realtime-events/unsubscribe.ts';
import { triggerRulesEngine } from './rules/trigger-rules-engine.ts';
import { getGameScoresLeaderboard } from './scores/get-game-scores-leaderboard.ts';
import { getUserScore } from './scores/get-user-score.ts';
import { getUserScores } from './scores/get-user-scores.ts';
import { getUsersPositionInGameScoreLeaderboard } from './scores/get-users-position-in-game-score-leaderboard.ts';
import { setUserScore } from './scores/set-user-score.ts';
import { getStates } from './states/get-states.ts';
import { setState } from './states/set-state.ts';

/** Every operation there is. A new one is its own file, and its line here. */
export const operations = [
  setUserScore,
  getUserScore,
  getUserScores,
  getGameScoresLeaderboard,
  getUsersPositionInGameScoreLeaderboard,
  setState,
  getStates,
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
  subscribe,
  unsubscribe,
  getSubscribedChannels,
  getGames,
  createUnverifiedChannel,
  verifyUnverifiedChannel,
  channelStatus,
  channelHeartbeat,
  openChannelSession,
  listChannelSessions,
  endChannelSession,
  revokeChannelSession,
  createGame,
  listGames,
  updateGame,
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
  updatePlayer,
  banPlayer,
  unbanPlayer,
  erasePlayer,
  listSessions,
  openSession,
  revokeSession,
  removeScore,
  listGameChannels,
  listMessages,
  removeMessage,
  listStates,
  getPlayerState,
  listPlaySessions,
  getPlaySession,
  listEvents,
  listAuditLog,
  serverFigures,
] as const;
