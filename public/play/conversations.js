import { Observable } from '../shared/observable.js';
import { toast } from '../shared/toasts.js';
import { ConversationState, typingShownMs } from './conversation-state.js';
import { draftOf, keepDraft } from './drafts.js';

/**
 * @typedef {import('./conversation-state.js').Channel} Channel
 * @typedef {import('./conversation-state.js').Message} Message
 */

const pageSize = 50;
/** The most conversations of a game that are listed at once. */
const mostListed = 250;
/** PROTOCOL.md, "Typing": the minimum time between two sent signals. */
const typingSentEveryMs = 2_000;
/** What many events at once change is read once for all of them, after this time, in milliseconds. */
const readDelayMs = 300;
/** Read markers are debounced by this, in milliseconds, because a reader passes many messages. */
const markReadDelayMs = 500;

/** The player's conversations in one game: the list, the one that is open, and the calls that change them. */
export class Conversations extends Observable {
  #game;
  #players;
  #wallet;
  #listSize;
  /** @type {Map<string, ConversationState>} */
  #byId = new Map();
  #markReadTimer = 0;
  /** The read marker that is sent next. @type {{ channelId: string, messageId: string } | null} */
  #mark = null;
  #lastTyping = 0;
  #nextUnsent = 1;
  #isClosed = false;
  #loadTimer = 0;
  /** Whether what is loaded next replaces everything. */
  #isStale = false;
  /** The last messages of conversations that are not listed, until the next load. @type {Map<string, Message>} */
  #unlisted = new Map();
  /** The conversations of other games, whose messages arrive here too. @type {Set<string>} */
  #elsewhere = new Set();
  /** The conversations whose unread messages are about to be counted. @type {Set<string>} */
  #uncounted = new Set();
  loaded = false;
  /** @type {unknown} */
  error = null;
  /** Where the list continues, and the time of its last conversation; null when it is complete. @type {{ cursor: string, oldest: number } | null} */
  #rest = null;
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
    return [...this.#byId.values()].sort((a, b) => b.lastActivity - a.lastActivity);
  }

  /** @returns {ConversationState | null} */
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
    return this.#rest !== null;
  }

  /** Loads the conversations with their last messages, and everything about the open one. */
  async load() {
    clearTimeout(this.#loadTimer);
    this.#loadTimer = 0;
    this.#isStale = false;
    try {
      await this.#loadList(false);
      if (this.openId !== null)
        await Promise.all([this.loadMessages(this.openId), this.refreshParticipants()]);
      this.error = null;
      this.loaded = true;
    } catch (error) {
      if (!this.loaded) this.error = error;
    }
    this.changed();
  }

  /**
   * Loads the latest conversations.
   * @param {boolean} keepsOthers whether those that were listed, and what is loaded of the open one, are current
   */
  async #loadList(keepsOthers) {
    const unlisted = this.#unlisted;
    this.#unlisted = new Map();
    const { data, rest } = await this.#page('');
    const listed = new Set(data.map(({ _id }) => _id));
    const oldest = data.at(-1)?.updatedAt ?? 0;
    let isContinuous = keepsOthers;
    for (const [channelId, { createdAt }] of unlisted) {
      if (listed.has(channelId)) continue;
      // Its message would have listed it, if it were one of this game; or it comes after this page.
      if (createdAt > oldest) this.#elsewhere.add(channelId);
      else isContinuous = false;
    }
    const known = this.#byId;
    const { open } = this;
    const page = data.map((one) => {
      const conversation = known.get(one._id) ?? new ConversationState(one);
      return /** @type {const} */ ([one._id, conversation.putListed(one, conversation === open)]);
    });
    this.#byId = new Map([...(isContinuous ? known : []), ...page]);
    if (!isContinuous) this.#rest = rest;
    if (open && !this.#byId.has(open.channel._id)) {
      // It is among the older ones, or the player is no longer in it.
      if (this.hasMore) this.#byId.set(open.channel._id, open);
      else this.openId = null;
    }
  }

  /** Loads the conversations again, once for all the events that ask for it within a short time. */
  loadSoon() {
    this.#isStale = true;
    this.#loadLater();
  }

  #loadLater() {
    if (this.#loadTimer !== 0) return;
    this.#loadTimer = window.setTimeout(async () => {
      this.#loadTimer = 0;
      if (this.#isStale) return this.load();
      await this.#loadList(true).catch(() => {}); // with the next message again
      this.markRead(); // the open one may have been listed with unread messages
      this.changed();
    }, readDelayMs);
  }

  /** Loads the next page of the list. */
  async loadMore() {
    if (this.#rest === null || this.isLoadingMore) return;
    this.isLoadingMore = true;
    this.changed();
    try {
      const { data, rest } = await this.#page(this.#rest.cursor);
      this.#rest = rest;
      for (const one of data) {
        if (!this.#byId.has(one._id)) this.#byId.set(one._id, new ConversationState(one).putListed(one));
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
    return { data, rest: more ? { cursor: nextCursor, oldest: data.at(-1)?.updatedAt ?? 0 } : null };
  }

  /**
   * Reloads a conversation's last messages.
   * @param {string} channelId
   */
  async loadMessages(channelId) {
    const conversation = this.#byId.get(channelId);
    if (!conversation) return;
    const page = { channelId, limit: pageSize };
    conversation.putLast(await this.#inChannel(channelId, this.#game.call('getChannelMessages', page)));
    if (this.openId === channelId) this.markRead();
    this.changed();
  }

  /** Loads the page of messages before the ones shown. */
  async loadEarlier() {
    const conversation = this.open;
    if (!conversation) return;
    const { channel, messages } = conversation;
    const page = { channelId: channel._id, limit: pageSize, skip: messages.length };
    conversation.putEarlier(await this.#game.call('getChannelMessages', page));
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
    if (channelId !== null && this.loaded) await this.#find(channelId);
    const conversation = this.open;
    if (!conversation) return;
    await Promise.all([
      conversation.loaded || this.loadMessages(conversation.channel._id),
      this.refreshParticipants(),
    ]).catch((error) => {
      if (this.has(conversation.channel._id)) throw error;
    });
  }

  /** Loads the older conversations until this one is found; closes it otherwise. @param {string} channelId */
  async #find(channelId) {
    while (this.openId === channelId && !this.has(channelId)) {
      if (!this.hasMore || this.isLoadingMore) this.openId = null;
      else await this.loadMore();
    }
    this.changed();
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

  /** The connection is lost: who is online is not known until the participants have been loaded again. */
  lost() {
    for (const conversation of this.#byId.values()) conversation.participants = new Map();
    this.changed();
  }

  /** @param {string} channelId */
  async #loadParticipants(channelId) {
    const conversation = this.#byId.get(channelId);
    if (!conversation) return;
    const loading = this.#game.call('getChannelParticipants', { channelId });
    const { participants } = await this.#inChannel(channelId, loading);
    for (const { wallet, username, avatar } of participants) this.#players.learn(wallet, username, avatar);
    conversation.participants = new Map(participants.map((one) => [one.wallet, one]));
    this.changed();
  }

  /**
   * Awaits a call about a conversation. Forgets the conversation if the player is no longer in it, which players who are
   * removed, or leave on another device, are not told.
   * @template Result
   * @param {string} channelId
   * @param {Promise<Result>} call
   * @returns {Promise<Result>}
   */
  async #inChannel(channelId, call) {
    try {
      return await call;
    } catch (error) {
      const { reason } = /** @type {{ reason?: string }} */ (error);
      if (reason === 'channel_unknown' && this.#byId.delete(channelId)) {
        if (this.openId === channelId) this.openId = null;
        toast('You are no longer in this conversation');
        this.changed();
      }
      throw error;
    }
  }

  /** Marks the open conversation as read, on every device of the player. */
  markRead() {
    const { open } = this;
    const last = open?.messages.at(-1);
    if (!open || !last || document.visibilityState === 'hidden') return;
    if (open.readUntil === last._id) {
      if (open.unread > 0) this.changed(); // counted before the server had the mark
      open.unread = 0;
      return;
    }
    // A player who sent the last message has read those before it.
    const isKnown = open.unread === 0 && last.senderId === this.#wallet;
    open.readUntil = last._id;
    open.unread = 0;
    this.changed();
    if (isKnown) return;
    const { channelId, _id: messageId } = last;
    if (this.#mark?.channelId !== channelId) this.#sendMark();
    this.#mark = { channelId, messageId };
    clearTimeout(this.#markReadTimer);
    this.#markReadTimer = window.setTimeout(() => this.#sendMark(), markReadDelayMs);
  }

  #sendMark() {
    clearTimeout(this.#markReadTimer);
    // If this fails, messages are at worst shown as unread once more.
    if (this.#mark) this.#game.call('markMessagesRead', this.#mark).catch(() => {});
    this.#mark = null;
  }

  /** Applies a read marker, possibly from another device. @param {{ channelId: string, messageId: string }} marker */
  applyReadMarker({ channelId, messageId }) {
    const conversation = this.#byId.get(channelId);
    if (!conversation || conversation.unread === 0) return;
    if (conversation.messages.at(-1)?._id === messageId) {
      conversation.unread = 0;
      this.changed();
    } else {
      this.#countUnreadSoon(channelId);
    }
  }

  /** Counts once for all the events that ask for it within a short time. @param {string} channelId */
  #countUnreadSoon(channelId) {
    if (this.#uncounted.has(channelId)) return;
    this.#uncounted.add(channelId);
    setTimeout(() => {
      this.#uncounted.delete(channelId);
      this.#countUnread(channelId).catch(() => {});
    }, readDelayMs);
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
   * Starts a conversation with these players, or finds the existing one.
   * @param {string[]} others wallets
   * @returns its id
   */
  async start(others) {
    const channel = await this.#game.call('createMessageChannel', { otherParticipants: others });
    this.putChannel(channel);
    return channel._id;
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
   * @param {import('./conversation-state.js').Unsent} unsent
   */
  async sendAgain({ key, content, replyTo }) {
    const conversation = this.open;
    if (!conversation) return;
    conversation.setFailed(key, false);
    this.changed();
    await this.#deliver(conversation, { key, content, replyTo });
  }

  /** @param {string} key */
  discard(key) {
    this.open?.removeUnsent(key);
    this.changed();
  }

  /**
   * @param {Message} message
   * @param {string} newContent
   */
  async edit({ _id }, newContent) {
    this.patchMessage(await this.#game.call('editChannelMessage', { messageId: _id, newContent }));
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
    this.#byId.get(channelId)?.setReactions(_id, updated.reactions);
    this.changed();
  }

  /** @param {import('./conversation-state.js').Reacted} record */
  putReaction(record, isAdded = true) {
    this.#byId.get(record.channelId)?.putReaction(record, isAdded, record.wallet === this.#wallet);
    this.changed();
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
    conversation.showTyping(wallet);
    setTimeout(() => this.changed(), typingShownMs + 50);
    this.changed();
  }

  /** @param {Channel} channel the current version */
  putChannel(channel) {
    this.#elsewhere.delete(channel._id);
    const known = this.#byId.get(channel._id);
    const before = known?.channel.participants ?? [];
    const isReplaced = before.some(
      ({ wallet }) => !channel.participants.some((one) => one.wallet === wallet),
    );
    if (known) known.channel = channel;
    else this.#byId.set(channel._id, new ConversationState(channel));
    // A guest who gets a wallet is replaced by it, also as the sender of earlier messages.
    if (isReplaced) this.loadMessages(channel._id).catch(() => {});
    // A conversation that the player was added to may already have messages.
    if (!known) {
      this.loadMessages(channel._id)
        .then(() => this.#countUnread(channel._id))
        .catch(() => {});
      this.#loadMissingNames(channel._id);
    } else if (this.openId === channel._id) this.refreshParticipants().catch(() => {});
    this.changed();
  }

  /** Applies that a message was changed; one that is not shown is not a new one. @param {Message} message */
  patchMessage(message) {
    const conversation = this.#byId.get(message.channelId);
    if (conversation?.originals.has(message._id)) conversation.originals.set(message._id, message);
    if (conversation?.messages.some(({ _id }) => _id === message._id)) this.#put(message);
    else this.changed();
  }

  /** @param {Message} message possibly a duplicate */
  putMessage(message) {
    const conversation = this.#byId.get(message.channelId);
    if (!conversation) this.#putUnlisted(message);
    conversation?.countNew(message, message.senderId === this.#wallet);
    this.#put(message);
  }

  /**
   * Of one of the older conversations, which is now the latest, unless it was sent before the list was loaded; or of
   * another game.
   * @param {Message} message
   */
  #putUnlisted(message) {
    const { channelId, createdAt } = message;
    if (this.#rest === null || createdAt <= this.#rest.oldest || this.#elsewhere.has(channelId)) return;
    this.#unlisted.set(channelId, message);
    this.#loadLater();
  }

  /** @param {Message} message */
  #put(message) {
    const conversation = this.#byId.get(message.channelId);
    if (!conversation) return;
    conversation.put(message);
    if (this.openId === message.channelId) this.markRead();
    this.changed();
  }

  /** @param {{ _id: string, channelId: string }} message */
  removeMessage({ _id, channelId }) {
    const conversation = this.#byId.get(channelId);
    if (!conversation) return;
    const isOwn = conversation.messages.find((one) => one._id === _id)?.senderId === this.#wallet;
    conversation.remove(_id);
    // What is before the player's own last message counts as read.
    if (conversation.unread > 0 || isOwn) this.#countUnreadSoon(channelId);
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
    clearTimeout(this.#loadTimer);
    this.#sendMark();
    this.#isClosed = true;
    for (const conversation of this.#byId.values()) this.#keepUnsent(conversation);
  }

  /** What could not be sent is a draft afterwards. @param {ConversationState} conversation */
  #keepUnsent(conversation) {
    const channelId = conversation.channel._id;
    const failed = conversation.unsent.filter((one) => one.failed);
    conversation.unsent = conversation.unsent.filter((one) => !one.failed);
    const texts = [...failed.map(({ content }) => content), draftOf(this.#wallet, channelId)];
    keepDraft(this.#wallet, channelId, texts.filter((text) => text !== '').join('\n'));
  }

  /**
   * @param {ConversationState} conversation
   * @param {Omit<import('./conversation-state.js').Unsent, 'failed'>} unsent
   */
  async #deliver(conversation, { key, content, replyTo }) {
    const channelId = conversation.channel._id;
    try {
      const input = { channelId, content, ...(replyTo !== undefined && { replyTo }) };
      const message = await this.#inChannel(channelId, this.#game.call('sendChannelMessage', input));
      this.#byId.get(channelId)?.removeUnsent(key);
      this.#put(message);
    } catch (error) {
      const now = this.#byId.get(channelId);
      if (!now) return;
      now.setFailed(key, true);
      if (this.#isClosed) this.#keepUnsent(now);
      this.changed();
      throw error;
    }
  }
}
