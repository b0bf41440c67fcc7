import { toast } from '../shared/toasts.js';

/** How long the game of an expired session may take to ask for a new one, in milliseconds. */
const tokenRequestMs = 5_000;

/** How much of a notification is shown over the page, in characters; the list of notifications has all of it. */
const maxToastLength = 150;

/**
 * Applies what the connection receives to what the launcher shows.
 * @param {import('gantry-client').GantryClient} connection
 * @param {import('./launcher.js').Launcher} launcher
 */
export function applyEvents(connection, launcher) {
  const { inbox, lobby } = launcher;
  /** @param {{ gameId: string }} record */
  const isOfCurrent = ({ gameId }) => gameId === launcher.current?.game.gameId;
  /** Those of the open game, and those outside of games; either ignores what belongs to the other. */
  const allConversations = () =>
    launcher.current ? [launcher.current.conversations, lobby.conversations] : [lobby.conversations];
  /** @template Record @param {(conversations: import('./conversations.js').Conversations, record: Record) => void} apply */
  const inConversations = (apply) => (/** @type {Record} */ record) => {
    for (const one of allConversations()) apply(one, record);
  };

  /** @param {import('../../src/features/sessions/events.ts').GameChannelRecord} session */
  const sessionChanged = ({ _id, exists, endReason }) => {
    const { current } = launcher;
    if (exists || current?.sessionId !== _id) return;
    if (endReason === 'expired') {
      // A game that uses `connect` of an SDK now asks for a token, and gets one of a new session.
      setTimeout(() => launcher.gameEnded(current, _id, endReason), tokenRequestMs);
    } else launcher.gameEnded(current, _id, endReason);
  };

  /** Also when the change was made on another device. @param {{ gameId: string, everywhere?: true }} changed */
  const blocksChanged = (changed) => {
    const { current } = launcher;
    const inCurrent = current !== null && (changed.everywhere || isOfCurrent(changed)) ? [current] : [];
    // The messages of blocked players are omitted, also from the previews.
    for (const { blocked, conversations } of changed.everywhere ? [lobby, ...inCurrent] : inCurrent)
      Promise.all([blocked.load(), conversations.load()]).catch(() => {});
  };

  /** @param {import('../../src/features/notifications/notification.ts').NotificationRecord} notification */
  const notify = async (notification) => {
    inbox.add(notification);
    await launcher.gamesLoaded; // those missed while disconnected arrive before the games
    const { gameId, message, type } = notification;
    const game = isOfCurrent(notification) ? null : launcher.nameOf(gameId);
    const text = [...(game === null ? message : `${game}: ${message}`)];
    const isLong = text.length > maxToastLength;
    toast(isLong ? `${text.slice(0, maxToastLength).join('').trimEnd()}…` : text.join(''), type);
  };

  /** @param {{ gameId: string, leaderboard?: string }} score */
  const scored = (score) => {
    if (!isOfCurrent(score)) return;
    if (score.leaderboard === undefined) launcher.current?.stream.findPositionSoon();
    else launcher.current?.boards.scored(score.leaderboard);
  };

  /** @param {import('./conversation-state.js').Channel} channel */
  const putChannel = (channel) => {
    if (isOfCurrent(channel)) launcher.current?.conversations.putChannel(channel);
    if (channel.gameId === lobby.gameId) lobby.conversations.putChannel(channel);
  };

  /** In a game, tells of a message outside of games, which the library shows. @param {import('./conversation-state.js').Message} message */
  const tellMessage = ({ channelId, senderId }) => {
    if (
      launcher.current === null ||
      launcher.connectionState.state === 'catching-up' ||
      senderId === launcher.wallet
    )
      return;
    if (!lobby.conversations.has(channelId)) return;
    toast(`${launcher.players.name(senderId)} sent you a message: it is under All games`);
  };

  connection.onResync((stream) => {
    if (launcher.connectionState.state === 'connecting') return; // everything is loaded after the first connection
    const { current } = launcher;
    const [kind, id] = stream.split(':');
    // Deferred until after the event being handled now, so that none is missed in between.
    queueMicrotask(() => {
      if (kind === 'channel') for (const one of allConversations()) one.loadSoon();
      if (kind === 'game' && id === current?.game.gameId) current?.stream.loadFeed().catch(() => {});
    });
  });
  connection.on(
    'read-markers patched',
    inConversations((one, marker) => one.applyReadMarker(marker)),
  );
  connection.on('notifications read', (record) => inbox.applyRead(record));
  connection.on('notifications created', notify);
  connection.on('muted-games patched', () => inbox.load()); // perhaps on another device
  connection.on('player-blocks patched', blocksChanged);
  connection.on('game-channels patched', sessionChanged);
  connection.on('window-messages created', (record) => {
    if (isOfCurrent(record)) launcher.current?.forward(record);
  });
  connection.on('leaderboards patched', (change) => launcher.current?.stream.applyLeaderboard(change));
  connection.on('named-leaderboards patched', (change) => launcher.current?.boards.apply(change));
  connection.on('leaderboard-seasons ended', (ended) => launcher.current?.boards.seasonEnded(ended));
  connection.on('releases created', (release) => launcher.current?.released(release));
  connection.on('activities created', (activity) => launcher.current?.stream.addActivity(activity));
  connection.on('scores created', scored);
  connection.on('scores patched', scored);
  connection.on('scores removed', scored);
  connection.on('chat-messages created', tellMessage);
  connection.on(
    'chat-messages created',
    inConversations((one, message) => one.putMessage(message)),
  );
  connection.on(
    'chat-messages patched',
    inConversations((one, message) => one.patchMessage(message)),
  );
  connection.on(
    'chat-messages removed',
    inConversations((one, message) => one.removeMessage(message)),
  );
  connection.on(
    'message-reactions created',
    inConversations((one, record) => one.putReaction(record)),
  );
  connection.on(
    'message-reactions removed',
    inConversations((one, record) => one.putReaction(record, false)),
  );
  connection.on(
    'chat-messages typing',
    inConversations((one, signal) => one.showTyping(signal)),
  );
  connection.on('message-channels created', putChannel);
  connection.on('message-channels patched', putChannel);
}
