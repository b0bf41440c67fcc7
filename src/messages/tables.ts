import { type RowOf, table } from '../core/storage/table.ts';

const channelColumns = {
  id: 'uuid',
  gameId: 'uuid',
  /** The sorted wallets, joined; not unique, because leaving can make two channels alike. */
  participantsKey: 'text',
  name: 'text',
  chatPicture: 'text',
  messageCount: 'int',
  createdAt: 'ms',
  updatedAt: 'ms',
} as const;

export const messageChannels = table('message_channels', channelColumns, {
  key: ['id'],
  indexes: {
    byParticipants: { on: ['gameId', 'participantsKey', 'createdAt', 'id'] },
  },
  of: { game: 'gameId' },
  kept: true,
});
export type MessageChannelRow = RowOf<typeof channelColumns>;

const participantColumns = {
  channelId: 'uuid',
  wallet: 'text',
  gameId: 'uuid',
  userGroup: 'int',
  permissions: 'json',
  /** The order of joining. */
  position: 'int',
  /** Where the channel's stream stood when the wallet joined: it hears what comes after. */
  joinedSeq: 'int',
  /** Who put the wallet in; the creator put in itself. Empty once that player was erased. */
  addedBy: 'text',
} as const;

export const participants = table('participants', participantColumns, {
  key: ['channelId', 'wallet'],
  indexes: {
    byChannel: { on: ['channelId', 'position'] },
    byWallet: { on: ['wallet', 'gameId', 'channelId'] },
    byAdder: { on: ['addedBy', 'wallet', 'gameId'] },
  },
  of: { player: 'wallet', names: ['addedBy'], game: 'gameId' },
  kept: true,
  remembered: 'lists',
});
export type ParticipantRow = RowOf<typeof participantColumns>;

/** Who left a channel of their own accord is put in none by whoever had put them there: see `removeFromChannel`. */
export const declinedAdders = table(
  'declined_adders',
  { wallet: 'text', gameId: 'uuid', adder: 'text' },
  {
    key: ['wallet', 'gameId', 'adder'],
    indexes: { byAdder: { on: ['adder'] } },
    of: { player: 'wallet', names: ['adder'], game: 'gameId' },
  },
);

const formerColumns = {
  wallet: 'text',
  channelId: 'uuid',
  /** It heard the events behind `joinedSeq`, up to `leftSeq`. */
  joinedSeq: 'int',
  leftSeq: 'int',
} as const;

/** Who was in a channel once, and from when to when: whom its earlier events were for, and where erasing a player must look. */
export const formerParticipants = table('left_channels', formerColumns, {
  key: ['wallet', 'channelId', 'joinedSeq'],
  indexes: {
    byWallet: { on: ['wallet', 'channelId', 'joinedSeq'] },
    byChannel: { on: ['channelId', 'leftSeq'] },
  },
  of: { player: 'wallet', via: { table: messageChannels, column: 'channelId' } },
});
export type FormerParticipantRow = RowOf<typeof formerColumns>;

const messageColumns = {
  id: 'uuid',
  channelId: 'uuid',
  sender: 'text',
  content: 'text',
  /**
   * JSON array: the channel's events that hold this message's words, so that unsending can erase them there. The first is
   * that of its sending, by which an index finds a channel's messages in the order of its stream.
   */
  eventSeqs: 'json',
  createdAt: 'ms',
  updatedAt: 'ms',
  /** The message of the channel that this one replies to; it may be unsent by now. */
  replyTo: 'uuid?',
  /** JSON array of pairs, in the order of first use: a reaction, and how many players have it. Null: none. */
  reactions: 'json?',
} as const;

export const messages = table('messages', messageColumns, {
  key: ['id'],
  indexes: {
    byChannel: { on: ['channelId', 'createdAt', 'id'] },
    /** In no order: erasing a player takes them as they come. */
    bySender: { on: ['sender'] },
  },
  of: { player: 'sender', via: { table: messageChannels, column: 'channelId' }, texts: ['content'] },
});
export type MessageRow = RowOf<typeof messageColumns>;

const readMarkerColumns = {
  channelId: 'uuid',
  wallet: 'text',
  /** The message up to which the player has read; it may be unsent by now. */
  messageId: 'uuid',
  /** Its place in the channel's stream. */
  readSeq: 'int',
  readAt: 'ms',
} as const;

/** Up to where players have read. In a table of its own: participants are kept in memory, and reading is much more often. */
export const readMarkers = table('read_markers', readMarkerColumns, {
  key: ['channelId', 'wallet'],
  indexes: { byWallet: { on: ['wallet', 'channelId'] } },
  of: { player: 'wallet', via: { table: messageChannels, column: 'channelId' } },
});
export type ReadMarkerRow = RowOf<typeof readMarkerColumns>;

const reactionColumns = {
  messageId: 'uuid',
  wallet: 'text',
  reaction: 'text',
  channelId: 'uuid',
  createdAt: 'ms',
} as const;

/** Who has reacted to a message, and with what. How many they are stands in the message too, so that lists need not count. */
export const messageReactions = table('message_reactions', reactionColumns, {
  key: ['messageId', 'wallet', 'reaction'],
  indexes: {
    byMessage: { on: ['messageId', 'wallet', 'reaction'] },
    /** In no order: erasing a player takes them as they come. */
    byWallet: { on: ['wallet'] },
  },
  of: { player: 'wallet', via: { table: messageChannels, column: 'channelId' } },
});
export type MessageReactionRow = RowOf<typeof reactionColumns>;
