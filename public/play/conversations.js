import { Observable } from '../shared/observable.js';

/**
 * @typedef {import('../../src/features/messages/message-channel.ts').MessageChannel} Channel
 * @typedef {import('../../src/features/messages/message-channel.ts').ChannelMessage} Message
 * @typedef {NonNullable<Message['reactions']>} Reactions
 * @typedef {{ channelId: string, messageId: string, wallet: string, reaction: string, count: number }} Reacted
 * @typedef {{ wallet: string, username: string, avatar: string, present: boolean }} Participant
 * @typedef {{ key: string, content: string, replyTo: string | undefined, failed: boolean }} Unsent
 * @typedef {{
 *   channel: Channel,
 *   messages: Message[],
 *   originals: Map<string, Message>,
 *   unread: number,
 *   readUntil: string,
 *   complete: boolean,
 *   loaded: boolean,
 *   unsent: Unsent[],
 *   participants: Map<string, Participant>,
 *   typing: Map<string, number>,
 * }} Conversation `messages`: oldest first; only the last one until the conversation is `loaded`; `originals`: messages that were replied to but are not loaded; `readUntil`:
 *   the last message marked as read here; `complete`: there are no earlier messages; `typing`: by wallet, until when to
 *   show it
 */

const pageSize = 50;
/** The most conversations of a game that are listed at once. */
const mostListed = 250;
/** PROTOCOL.md, "Typing": how long a signal is shown, and the minimum time between two sent ones. */
const typingShownMs = 4_000;
const typingSentEveryMs = 2_000;
/** Read markers are debounced by this, in milliseconds, because a reader passes many messages. */
const markReadDelayMs = 500;

/** The player's conversations in one game: messages, participants and unread counts. */
export class Conversations extends Observable {
  #game;
  #players;
  #wallet;
  #listSize;
  /** @type {Map<string, Conversation>} */
  #byId = new Map();
  #markReadTimer = 0;
  #lastTyping = 0;
  #nextUnsent = 1;
  loaded = false;
  /** @type {unknown} */
  error = null;
  /** Where the list continues; null when it is complete. @type {string | null} */
  #cursor = null;
  isLoadingMore = false;
  /** @type {string | null} the conversation on screen */
  openId = null;

  /**
   * @param {Pick<import('gantry-client').GantryClient, 'call'>} game with the token of the session in the game
   * @param {import('./player-book.js').PlayerBook} players
   * @param {string} wallet
   * @param {number} [listSize] how many conversations are listed at once, which counts against the player's rate limit
   */
  constructor(game, players, wallet, listSize = mostListed) {
    super();
    this.#game = game;
    this.#players = players;
    this.#wallet = wallet;
    this.#listSize = listSize;
  }

  /** Latest activity first. */
  get list() {
    return [...this.#byId.values()].sort((a, b) => lastActivity(b) - lastActivity(a));
  }

  /** @returns {Conversation | null} */
  get open() {
    return (this.openId !== null && this.#byId.get(this.openId)) || null;
  }

  get unread() {
    return this.list.reduce((sum, { unread }) => sum + unread, 0);
  }

  /** @param {string} channelId */
  has(channelId) {
    return this.#byId.has(channelId);
  }

  get hasMore() {
    return this.#cursor !== null;
  }

  /** Loads the conversations with their last messages, and everything about the open one. */
  async load() {
    try {
      const known = this.#byId;
      const listed = await this.#page('');
      const { open } = this;
      this.#byId = new Map(listed.map((one) => [one._id, asListed(one, known.get(one._id), open)]));
      if (open && !this.#byId.has(open.channel._id)) {
        // It is among the older ones, or the player is no longer in it.
        if (this.hasMore) this.#byId.set(open.channel._id, open);
        else this.openId = null;
      }
      if (this.openId !== null)
        await Promise.all([this.loadMessages(this.openId), this.refreshParticipants()]);
      this.error = null;
      this.loaded = true;
    } catch (error) {
      if (!this.loaded) this.error = error;
    }
    this.changed();
  }

  /** Loads the next page of the list. */
  async loadMore() {
    if (this.#cursor === null || this.isLoadingMore) return;
    this.isLoadingMore = true;
    this.changed();
    try {
      for (const one of await this.#page(this.#cursor)) {
        if (!this.#byId.has(one._id)) this.#byId.set(one._id, asListed(one));
      }
    } finally {
      this.isLoadingMore = false;
      this.changed();
    }
  }

  /** @param {string} cursor */
  async #page(cursor) {
    const page = { cursor, limit: this.#listSize, withUnread: true, withPreview: true };
    const { data, players = [], more, nextCursor = '' } = await this.#game.call('getMessageChannels', page);
    for (const { wallet, username, avatar } of players) this.#players.learn(wallet, username, avatar);
    this.#cursor = more ? nextCursor : null;
    return data;
  }

  /**
   * Reloads a conversation's last messages.
   * @param {string} channelId
   */
  async loadMessages(channelId) {
    const conversation = this.#byId.get(channelId);
    if (!conversation) return;
    const page = { channelId, limit: pageSize };
    const { total, data, originals } = await this.#game.call('getChannelMessages', page);
    conversation.messages = data.reverse();
    conversation.originals = new Map(originals?.map((one) => [one._id, one]));
    conversation.complete = total <= data.length;
    conversation.loaded = true;
    if (this.openId === channelId) this.markRead();
    this.changed();
  }

  /** Loads the page of messages before the ones shown. */
  async loadEarlier() {
    const conversation = this.open;
    if (!conversation) return;
    const { channel, messages } = conversation;
    const page = { channelId: channel._id, limit: pageSize, skip: messages.length };
    const { total, data, originals = [] } = await this.#game.call('getChannelMessages', page);
    for (const one of originals) conversation.originals.set(one._id, one);
    const known = new Set(conversation.messages.map(({ _id }) => _id));
    conversation.messages = [
      ...data.reverse().filter(({ _id }) => !known.has(_id)),
      ...conversation.messages,
    ];
    conversation.complete = total <= conversation.messages.length;
    this.changed();
  }

  /**
   * Shows a conversation, or (null) the list.
   * @param {string | null} channelId
   */
  async show(channelId) {
    this.openId = channelId;
    this.markRead();
    this.changed();
    const conversation = this.open;
    if (!conversation) return;
    await Promise.all([
      conversation.loaded || this.loadMessages(conversation.channel._id),
      this.refreshParticipants(),
    ]);
  }

  /** Loads the open conversation's participants, with their names and presence. */
  async refreshParticipants() {
    if (this.openId !== null) await this.#loadParticipants(this.openId);
  }

  /**
   * Loads a conversation's participants if the list could only show their wallets otherwise.
   * @param {string} channelId
   */
  async #loadMissingNames(channelId) {
    const { channel } = this.#byId.get(channelId) ?? {};
    if (channel?.name !== '' || channel.participants.every(({ wallet }) => this.#players.knows(wallet)))
      return;
    await this.#loadParticipants(channelId).catch(() => {}); // the wallets are shown instead
  }

  /** @param {string} channelId */
  async #loadParticipants(channelId) {
    const conversation = this.#byId.get(channelId);
    if (!conversation) return;
    const { participants } = await this.#game.call('getChannelParticipants', { channelId });
    for (const { wallet, username, avatar } of participants) this.#players.learn(wallet, username, avatar);
    conversation.participants = new Map(participants.map((one) => [one.wallet, one]));
    this.changed();
  }

  /** Marks the open conversation as read, on every device of the player. */
  markRead() {
    const { open } = this;
    const last = open?.messages.at(-1);
    if (!open || !last || document.visibilityState === 'hidden') return;
    if (open.readUntil === last._id) return;
    // A player who sent the last message has read those before it.
    const isKnown = open.unread === 0 && last.senderId === this.#wallet;
    open.readUntil = last._id;
    open.unread = 0;
    this.changed();
    if (isKnown) return;
    clearTimeout(this.#markReadTimer);
    this.#markReadTimer = window.setTimeout(() => {
      const { channelId, _id: messageId } = last;
      // If this fails, messages are at worst shown as unread once more.
      this.#game.call('markMessagesRead', { channelId, messageId }).catch(() => {});
    }, markReadDelayMs);
  }

  /** Applies a read marker, possibly from another device. @param {{ channelId: string, messageId: string }} marker */
  applyReadMarker({ channelId, messageId }) {
    const conversation = this.#byId.get(channelId);
    if (!conversation || conversation.unread === 0) return;
    if (conversation.messages.at(-1)?._id === messageId) {
      conversation.unread = 0;
      this.changed();
    } else {
      this.#countUnread(channelId).catch(() => {});
    }
  }

  /** @param {string} channelId */
  async #countUnread(channelId) {
    const { unreadCount } = await this.#game.call('getUnreadCount', { channelId });
    const conversation = this.#byId.get(channelId);
    if (!conversation) return;
    conversation.unread = unreadCount;
    if (this.openId === channelId) this.markRead();
    this.changed();
  }

  /**
   * Starts a conversation with these players, or finds the existing one, and shows it.
   * @param {string[]} others wallets
   */
  async start(others) {
    const channel = await this.#game.call('createMessageChannel', { otherParticipants: others });
    this.putChannel(channel);
    await this.show(channel._id);
  }

  /**
   * Sends a message to the open conversation. It shows at once, and as not sent after a failure.
   * @param {string} content
   * @param {string} [replyTo] the message it replies to
   */
  async send(content, replyTo) {
    const conversation = this.open;
    if (!conversation) return;
    const key = `unsent-${this.#nextUnsent++}`;
    conversation.unsent = [...conversation.unsent, { key, content, replyTo, failed: false }];
    this.#lastTyping = 0;
    this.changed();
    await this.#deliver(conversation, { key, content, replyTo });
  }

  /**
   * Retries a message that was not sent.
   * @param {Unsent} unsent
   */
  async sendAgain({ key, content, replyTo }) {
    const conversation = this.open;
    if (!conversation) return;
    conversation.unsent = conversation.unsent.map((one) =>
      one.key === key ? { ...one, failed: false } : one,
    );
    this.changed();
    await this.#deliver(conversation, { key, content, replyTo });
  }

  /** @param {string} key */
  discard(key) {
    const conversation = this.open;
    if (!conversation) return;
    conversation.unsent = conversation.unsent.filter((one) => one.key !== key);
    this.changed();
  }

  /**
   * @param {Message} message
   * @param {string} newContent
   */
  async edit({ _id }, newContent) {
    this.putMessage(await this.#game.call('editChannelMessage', { messageId: _id, newContent }));
  }

  /**
   * Toggles the player's reaction to a message.
   * @param {Message} message
   * @param {string} reaction
   */
  async react({ _id, channelId, reactions }, reaction) {
    const isOwn = reactions?.some((one) => one.reaction === reaction && one.own);
    const operation = isOwn ? 'removeReaction' : 'addReaction';
    const updated = await this.#game.call(operation, { messageId: _id, reaction });
    this.#setReactions(channelId, _id, () => updated.reactions);
  }

  /** @param {Reacted} record from an event; `count` is the current total */
  putReaction({ channelId, messageId, wallet, reaction, count }, isAdded = true) {
    this.#setReactions(channelId, messageId, (known) => {
      const before = known.find((one) => one.reaction === reaction);
      const isOwn = wallet === this.#wallet ? isAdded : before?.own === true;
      const now = { reaction, count, ...(isOwn && { own: /** @type {const} */ (true) }) };
      if (!before) return count > 0 ? [...known, now] : known;
      return known.flatMap((one) => (one === before ? (count > 0 ? [now] : []) : [one]));
    });
  }

  /** @param {Message} message */
  async unsend(message) {
    await this.#game.call('unsendChannelMessage', { messageId: message._id });
    this.removeMessage(message);
  }

  /**
   * @param {string} name
   */
  async rename(name) {
    if (this.openId === null) return;
    this.putChannel(await this.#game.call('editGroupInfo', { channelId: this.openId, name }));
  }

  /** @param {string} wallet */
  async add(wallet) {
    if (this.openId === null) return;
    this.putChannel(await this.#game.call('addParticipant', { channelId: this.openId, wallet }));
    await this.refreshParticipants();
  }

  /**
   * Removes a participant; the player leaves by removing themselves.
   * @param {string} wallet
   */
  async remove(wallet) {
    const channelId = this.openId;
    if (channelId === null) return;
    const channel = await this.#game.call('removeParticipant', { channelId, wallet });
    if (wallet === this.#wallet) {
      this.#byId.delete(channelId);
      this.openId = null;
      this.changed();
      return;
    }
    this.putChannel(channel);
    await this.refreshParticipants();
  }

  /** Sends a typing signal for the open conversation, throttled. */
  type() {
    if (this.openId === null || Date.now() - this.#lastTyping < typingSentEveryMs) return;
    this.#lastTyping = Date.now();
    this.#game.call('sendTypingSignal', { channelId: this.openId }).catch(() => {});
  }

  /** @param {{ channelId: string, wallet: string }} signal */
  showTyping({ channelId, wallet }) {
    const conversation = this.#byId.get(channelId);
    if (!conversation || wallet === this.#wallet) return;
    conversation.typing = new Map(conversation.typing).set(wallet, Date.now() + typingShownMs);
    setTimeout(() => this.changed(), typingShownMs + 50);
    this.#markPresent(conversation, wallet);
    this.changed();
  }

  /** @param {Channel} channel the current version */
  putChannel(channel) {
    const known = this.#byId.get(channel._id);
    const before = known?.channel.participants ?? [];
    const isReplaced = before.some(
      ({ wallet }) => !channel.participants.some((one) => one.wallet === wallet),
    );
    this.#byId.set(channel._id, conversationOf(channel, known));
    // A guest who gets a wallet is replaced by it, also as the sender of earlier messages.
    if (isReplaced) this.loadMessages(channel._id).catch(() => {});
    // A conversation that the player was added to may already have messages.
    if (!known) {
      this.loadMessages(channel._id).catch(() => {});
      this.#loadMissingNames(channel._id);
    } else if (this.openId === channel._id) this.refreshParticipants().catch(() => {});
    this.changed();
  }

  /** @param {Message} message the current version */
  putMessage(message) {
    const conversation = this.#byId.get(message.channelId);
    if (!conversation && this.hasMore) this.load(); // one of the older conversations, which is now the latest
    const isNew = conversation?.messages.every(({ _id }) => _id !== message._id);
    if (conversation && isNew) {
      if (message.senderId === this.#wallet) {
        this.#removeMatchingUnsent(conversation, message.content);
        conversation.unread = 0;
      } else {
        conversation.unread += 1;
      }
    }
    this.#put(message);
  }

  /**
   * @param {string} channelId
   * @param {string} messageId
   * @param {(known: Reactions) => Reactions} change
   */
  #setReactions(channelId, messageId, change) {
    const conversation = this.#byId.get(channelId);
    const index = conversation?.messages.findIndex(({ _id }) => _id === messageId) ?? -1;
    const message = conversation?.messages[index];
    if (!conversation || !message) return;
    const { reactions: known = [], ...rest } = message;
    const reactions = change(known);
    conversation.messages = conversation.messages.with(index, {
      ...rest,
      ...(reactions.length > 0 && { reactions }),
    });
    this.changed();
  }

  /** @param {Message} message */
  #put(message) {
    const conversation = this.#byId.get(message.channelId);
    if (!conversation) return;
    const { messages } = conversation;
    const index = messages.findIndex(({ _id }) => _id === message._id);
    if (index >= 0) conversation.messages = messages.with(index, withOwn(message, messages[index]));
    else conversation.messages = [...messages, message].sort(byTime);
    conversation.typing.delete(message.senderId);
    this.#markPresent(conversation, message.senderId);
    if (this.openId === message.channelId) this.markRead();
    this.changed();
  }

  /** @param {{ _id: string, channelId: string }} message */
  removeMessage({ _id, channelId }) {
    const conversation = this.#byId.get(channelId);
    if (!conversation) return;
    conversation.messages = conversation.messages.filter((one) => one._id !== _id);
    conversation.originals.delete(_id);
    if (conversation.unread > 0) this.#countUnread(channelId).catch(() => {});
    // The list shows the message before it, which was not loaded.
    if (!conversation.loaded && conversation.messages.length === 0)
      this.loadMessages(channelId).catch(() => {});
    this.changed();
  }

  /** @param {{ wallet: string, seconds: number, reason: string }} mute in the open conversation; 0 seconds end it */
  async mute({ wallet, seconds, reason }) {
    if (this.openId === null) return;
    await this.#game.call('muteParticipant', {
      channelId: this.openId,
      wallet,
      seconds,
      ...(reason && { reason }),
    });
  }

  /**
   * Reports a message, or a player, to the moderators.
   * @param {{ messageId: string } | { wallet: string }} about
   * @param {{ reason: import('./player-actions.js').ReportReason, comment: string }} details
   */
  async report(about, details) {
    if ('messageId' in about) await this.#game.call('reportMessage', { ...about, ...details });
    else await this.#game.call('reportPlayer', { ...about, ...details });
  }

  close() {
    clearTimeout(this.#markReadTimer);
  }

  /**
   * @param {Conversation} conversation
   * @param {Omit<Unsent, 'failed'>} unsent
   */
  async #deliver(conversation, { key, content, replyTo }) {
    const channelId = conversation.channel._id;
    try {
      const message = await this.#game.call('sendChannelMessage', {
        channelId,
        content,
        ...(replyTo !== undefined && { replyTo }),
      });
      this.#removeUnsent(channelId, key);
      this.#put(message);
    } catch (error) {
      const now = this.#byId.get(channelId);
      if (!now) return;
      now.unsent = now.unsent.map((one) => (one.key === key ? { ...one, failed: true } : one));
      this.changed();
      throw error;
    }
  }

  /**
   * @param {string} channelId
   * @param {string} key
   */
  #removeUnsent(channelId, key) {
    const conversation = this.#byId.get(channelId);
    if (conversation) conversation.unsent = conversation.unsent.filter((one) => one.key !== key);
  }

  /**
   * A message's event may arrive before the call's response, or instead of it; the message must be shown only once.
   * @param {Conversation} conversation
   * @param {string} content
   */
  #removeMatchingUnsent(conversation, content) {
    const index = conversation.unsent.findIndex((one) => one.content === content);
    if (index >= 0) conversation.unsent = conversation.unsent.toSpliced(index, 1);
  }

  /**
   * A player who is typing or sends a message is present.
   * @param {Conversation} conversation
   * @param {string} wallet
   */
  #markPresent(conversation, wallet) {
    const known = conversation.participants.get(wallet);
    if (!known || known.present) return;
    conversation.participants = new Map(conversation.participants).set(wallet, { ...known, present: true });
  }
}

/**
 * @param {Channel} channel
 * @param {Conversation | undefined} known
 * @returns {Conversation}
 */
function conversationOf(channel, known) {
  if (known) return Object.assign(known, { channel });
  return {
    channel,
    messages: [],
    originals: new Map(),
    unread: 0,
    readUntil: '',
    complete: false,
    loaded: false,
    unsent: [],
    participants: new Map(),
    typing: new Map(),
  };
}

/**
 * A conversation as the list shows it: only its last message is known to be current, unless it is the `open` one.
 * @param {import('gantry-client').OperationOutput<'getMessageChannels'>['data'][number]} listed
 * @param {Conversation} [known]
 * @param {Conversation | null} [open]
 */
function asListed(listed, known, open = null) {
  const { unreadCount = 0, unreadCapped, lastReadMessageId, lastReadAt, lastMessage, ...channel } = listed;
  const conversation = conversationOf(channel, known);
  conversation.unread = unreadCount;
  if (known !== undefined && known === open) return conversation;
  return Object.assign(conversation, { messages: lastMessage ? [lastMessage] : [], loaded: false });
}

/** @param {Conversation} conversation */
function lastActivity({ channel, messages }) {
  return Math.max(channel.updatedAt, messages.at(-1)?.createdAt ?? 0);
}

/**
 * Restores the `own` flags of reactions: events are the same for all recipients and do not contain them.
 * @param {Message} message
 * @param {Message | undefined} known
 * @returns {Message}
 */
function withOwn(message, known) {
  if (!message.reactions || !known?.reactions) return message;
  const own = new Set(known.reactions.filter((one) => one.own).map((one) => one.reaction));
  const reactions = message.reactions.map((one) =>
    own.has(one.reaction) ? { ...one, own: /** @type {const} */ (true) } : one,
  );
  return { ...message, reactions };
}

/**
 * @param {Message} a
 * @param {Message} b
 */
function byTime(a, b) {
  return a.createdAt - b.createdAt || (a._id < b._id ? -1 : 1);
}
