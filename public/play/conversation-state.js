/**
 * @typedef {import('../../src/features/messages/message-channel.ts').MessageChannel} Channel
 * @typedef {import('../../src/features/messages/message-channel.ts').ChannelMessage} Message
 * @typedef {NonNullable<Message['reactions']>} Reactions
 * @typedef {{ channelId: string, messageId: string, wallet: string, reaction: string, count: number }} Reacted `count`: the current total
 * @typedef {{ wallet: string, username: string, avatar: string, present: boolean }} Participant
 * @typedef {{ key: string, content: string, replyTo: string | undefined, failed: boolean }} Unsent
 * @typedef {import('gantry-client').OperationOutput<'getMessageChannels'>['data'][number]} ListedChannel
 * @typedef {import('gantry-client').OperationOutput<'getChannelMessages'>} MessagePage
 */

/** PROTOCOL.md, "Typing": how long a signal is shown, in milliseconds. */
export const typingShownMs = 4_000;

/** What the page knows of one conversation. */
export class ConversationState {
  /** @type {Channel} */
  channel;
  /** Oldest first; only the last one until the conversation is `loaded`. @type {Message[]} */
  messages = [];
  /** Messages that were replied to but are not loaded. @type {Map<string, Message>} */
  originals = new Map();
  unread = 0;
  /** The last message marked as read here. */
  readUntil = '';
  /** There are no earlier messages. */
  complete = false;
  loaded = false;
  /** @type {Unsent[]} */
  unsent = [];
  /** @type {Map<string, Participant>} */
  participants = new Map();
  /** By wallet, until when to show it. @type {Map<string, number>} */
  typing = new Map();

  /** @param {Channel} channel */
  constructor(channel) {
    this.channel = channel;
  }

  get lastActivity() {
    return Math.max(this.channel.updatedAt, this.messages.at(-1)?.createdAt ?? 0);
  }

  /**
   * As the list shows it: only its last message is known to be current, unless it is open.
   * @param {ListedChannel} listed
   */
  putListed(listed, isOpen = false) {
    const { unreadCount = 0, unreadCapped, lastReadMessageId, lastReadAt, lastMessage, ...channel } = listed;
    this.channel = channel;
    this.unread = unreadCount;
    if (!isOpen) {
      this.messages = lastMessage ? [lastMessage] : [];
      this.loaded = false;
    }
    return this;
  }

  /** @param {MessagePage} page the last messages */
  putLast({ total, data, originals }) {
    this.messages = data.toReversed();
    this.originals = new Map(originals?.map((one) => [one._id, one]));
    this.complete = total <= data.length;
    this.loaded = true;
  }

  /** @param {MessagePage} page of messages before those that are loaded */
  putEarlier({ total, data, originals = [] }) {
    for (const one of originals) this.originals.set(one._id, one);
    const known = new Set(this.messages.map(({ _id }) => _id));
    this.messages = [...data.toReversed().filter(({ _id }) => !known.has(_id)), ...this.messages];
    this.complete = total <= this.messages.length;
  }

  /** @param {Message} message the current version */
  put(message) {
    const index = this.messages.findIndex(({ _id }) => _id === message._id);
    if (index >= 0) this.messages = this.messages.with(index, withOwn(message, this.messages[index]));
    else this.messages = [...this.messages, message].sort(byTime);
    this.typing.delete(message.senderId);
    this.markPresent(message.senderId);
  }

  /**
   * Counts a message that is not known yet as unread, or takes it for one that was being sent: its event may arrive before
   * the call's response, or instead of it, and it must be shown only once.
   * @param {Message} message
   * @param {boolean} isOwn
   */
  countNew({ _id, content }, isOwn) {
    if (this.messages.some((one) => one._id === _id)) return;
    this.unread = isOwn ? 0 : this.unread + 1;
    const index = isOwn ? this.unsent.findIndex((one) => one.content === content) : -1;
    if (index >= 0) this.unsent = this.unsent.toSpliced(index, 1);
  }

  /** @param {string} messageId */
  remove(messageId) {
    this.messages = this.messages.filter((one) => one._id !== messageId);
    this.originals.delete(messageId);
  }

  /**
   * @param {Reacted} record
   * @param {boolean} isAdded
   * @param {boolean} byPlayer whether it is the player's own reaction
   */
  putReaction({ messageId, reaction, count }, isAdded, byPlayer) {
    const known = this.messages.find(({ _id }) => _id === messageId)?.reactions ?? [];
    const before = known.find((one) => one.reaction === reaction);
    const isOwn = byPlayer ? isAdded : before?.own === true;
    const now = { reaction, count, ...(isOwn && { own: /** @type {const} */ (true) }) };
    const others = count > 0 ? [now] : [];
    const all = before ? known.flatMap((one) => (one === before ? others : [one])) : [...known, ...others];
    this.setReactions(messageId, all);
  }

  /**
   * @param {string} messageId
   * @param {Reactions} reactions
   */
  setReactions(messageId, reactions) {
    const index = this.messages.findIndex(({ _id }) => _id === messageId);
    const message = this.messages[index];
    if (!message) return;
    const { reactions: _, ...rest } = message;
    this.messages = this.messages.with(index, { ...rest, ...(reactions.length > 0 && { reactions }) });
  }

  /**
   * @param {string} key
   * @param {boolean} failed
   */
  setFailed(key, failed) {
    this.unsent = this.unsent.map((one) => (one.key === key ? { ...one, failed } : one));
  }

  /** @param {string} key */
  removeUnsent(key) {
    this.unsent = this.unsent.filter((one) => one.key !== key);
  }

  /** @param {string} wallet */
  showTyping(wallet) {
    this.typing = new Map(this.typing).set(wallet, Date.now() + typingShownMs);
    this.markPresent(wallet);
  }

  /**
   * A player who is typing or sends a message is present.
   * @param {string} wallet
   */
  markPresent(wallet) {
    const known = this.participants.get(wallet);
    if (!known || known.present) return;
    this.participants = new Map(this.participants).set(wallet, { ...known, present: true });
  }
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
