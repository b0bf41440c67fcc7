import { getActivities } from './activities/get-activities.ts';
import { sendCustomActivity } from './activities/send-custom-activity.ts';
import { channelHeartbeat } from './channel-sessions/channel-heartbeat.ts';
import { channelStatus } from './channel-sessions/channel-status.ts';
import { createUnverifiedChannel } from './channel-sessions/create-unverified-channel.ts';
import { endChannelSession } from './channel-sessions/end-channel-session.ts';
import { listChannelSessions } from './channel-sessions/list-channel-sessions.ts';
import { openChannelSession } from './channel-sessions/open-channel-session.ts';
import { verifyUnverifiedChannel } from './channel-sessions/verify-unverified-channel.ts';
import { addParticipant } from './messages/add-participant.ts';
import { createMessageChannel } from './messages/create-message-channel.ts';
import { editChannelMessage } from './messages/edit-channel-message.ts';
import { editGroupInfo } from './messages/edit-group-info.ts';
import { getChannelMessages } from './messages/get-channel-messages.ts';
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
  addParticipant,
  removeParticipant,
  editGroupInfo,
  sendTypingSignal,
  subscribe,
  unsubscribe,
  getSubscribedChannels,
  createUnverifiedChannel,
  verifyUnverifiedChannel,
  channelStatus,
  channelHeartbeat,
  openChannelSession,
  listChannelSessions,
  endChannelSession,
] as const;
