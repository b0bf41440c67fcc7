import { type RowOf, table } from '../../core/storage/table.ts';

const channelColumns = {
  id: 'uuid',
  gameId: 'uuid',
  /** The sorted wallets, joined; not unique, because leaving can give two channels the same participants. */
  participantsKey: 'text',
  name: 'text',
  chatPicture: 'text',
  messageCount: 'int',
  createdAt: 'ms',
  updatedAt: 'ms',
} as const;

export const messageChannels = table('message_channels', channelColumns, {
  key: ['id'],
  orderedById: true,
  indexes: {
    byParticipants: { on: ['gameId', 'participantsKey', 'createdAt', 'id'] },
  },
  of: { game: 'gameId' },
  cachedByWriter: true,
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
  /** The channel's last seq when the wallet joined: it receives the events after it. */
  joinedSeq: 'int',
  /** Who added the wallet; the creator's own wallet for the creator. Empty once the adder was erased. */
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
  cachedByWriter: true,
  cacheable: 'lists',
});
export type ParticipantRow = RowOf<typeof participantColumns>;

/** Players who left a channel, and the `adder` who can add them to none of the game now: see `removeFromChannel`. */
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
  /** The wallet received the events after `joinedSeq`, up to and including `leftSeq`. */
  joinedSeq: 'int',
  leftSeq: 'int',
} as const;

/** Past stays in channels: the audience of earlier events, and which channels erasing a player must check. */
export const formerParticipants = table('former_participants', formerColumns, {
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
   * JSON array: seqs of the channel's events that hold this message's content, so that unsending can erase it there.
   * The first is the message's creation; an index on it orders a channel's messages by its stream.
   */
  eventSeqs: 'json',
  createdAt: 'ms',
  updatedAt: 'ms',
  /** The message of the channel that this one replies to; it may have been unsent since. */
  replyTo: 'uuid?',
  /** JSON array of [reaction, count] pairs, in the order of first use. Null when there are none. */
  reactions: 'json?',
} as const;

export const messages = table('messages', messageColumns, {
  key: ['id'],
  orderedById: true,
  indexes: {
    byChannel: { on: ['channelId', 'createdAt', 'id'] },
    /** Unordered: used only to erase a player, in any order. */
    bySender: { on: ['sender'] },
  },
  of: { player: 'sender', via: { table: messageChannels, column: 'channelId' }, texts: ['content'] },
});
export type MessageRow = RowOf<typeof messageColumns>;

const readMarkerColumns = {
  channelId: 'uuid',
  wallet: 'text',
  /** The message up to which the player has read; it may have been unsent since. */
  messageId: 'uuid',
  /** The message's seq in the channel's stream. */
  readSeq: 'int',
  readAt: 'ms',
} as const;

/** Players' read positions. Separate from `participants`, which are kept in memory and change far less often. */
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

/** Players' reactions to messages. The counts are also stored in the message, so that lists need not count them. */
export const messageReactions = table('message_reactions', reactionColumns, {
  key: ['messageId', 'wallet', 'reaction'],
  indexes: {
    byMessage: { on: ['messageId', 'wallet', 'reaction'] },
    /** Unordered: used only to erase a player, in any order. */
    byWallet: { on: ['wallet'] },
  },
  of: { player: 'wallet', via: { table: messageChannels, column: 'channelId' } },
});
export type MessageReactionRow = RowOf<typeof reactionColumns>;
