import { ownThings, ownThingsOfPlayers, refused, refusedTo } from '../access.ts';
import type { LauncherCases } from '../operation-case.ts';

const participants = [
  {
    wallet: '<owner>',
    userGroup: 0,
    permissions: ['send-messages', 'add-members', 'edit-info', 'super-admin'],
  },
  { wallet: '<participant>', userGroup: 0, permissions: ['send-messages'] },
];

/** The owner's channel with the participant. */
export const channel = {
  _id: '<channel>',
  name: '',
  chatPicture: '',
  createdAt: '<time>',
  updatedAt: '<time>',
  participants,
  gameId: '<game>',
};

/** The owner's message in it. */
export const messageIdentity = {
  _id: '<message id>',
  channelId: '<channel>',
  senderId: '<owner>',
  createdAt: '<time>',
  updatedAt: '<time>',
};

const unknownChannel = refused(400, 'channel_unknown');
const unknownMessage = refused(400, 'message_unknown');
const notTheSender = refused(401, 'not_the_sender');
const withoutPermission = refused(401, 'permission_missing');

/** For participants of the channel, and the game's own server for them. */
const readable = refusedTo(unknownChannel, {
  participant: 'shared',
  gameServer: 'shared',
  otherGameServer: unknownChannel,
});

const reactable = refusedTo(unknownMessage, {
  participant: 'shared',
  gameServer: 'shared',
  otherGameServer: unknownMessage,
});

export const messageCases = {
  getMessageChannels: {
    input: () => ({ limit: 10, skip: 0 }),
    answer: { total: 1, limit: 10, skip: 0, data: [channel] },
    access: { ...ownThings, participant: 'shared' },
  },
  createMessageChannel: {
    // The owner's and the participant's calls name each other, and so the existing channel.
    input: ({ owner, participant }, by) => ({
      otherParticipants: [by === 'participant' ? owner.wallet : participant.wallet],
    }),
    answer: channel,
    access: { ...ownThingsOfPlayers, participant: 'shared' },
  },
  getChannelMessages: {
    input: ({ channelId }) => ({ channelId, limit: 10, skip: 0 }),
    answer: { total: 1, limit: 10, skip: 0, data: [{ ...messageIdentity, content: '<message>' }] },
    access: refusedTo(unknownChannel, {
      participant: 'shared',
      gameServer: 'shared',
      otherGameServer: unknownChannel,
    }),
  },
  sendChannelMessage: {
    input: ({ channelId }) => ({ channelId, content: 'One more round? \u{1F3C1}' }),
    answer: { ...messageIdentity, _id: '<id>', content: 'One more round? \u{1F3C1}' },
    access: refusedTo(unknownChannel, { participant: 'shared' }),
  },
  editChannelMessage: {
    input: ({ messageId }) => ({ messageId, newContent: 'Never mind' }),
    answer: { ...messageIdentity, content: 'Never mind' },
    access: refusedTo(unknownMessage, { participant: notTheSender }),
  },
  unsendChannelMessage: {
    input: ({ messageId }) => ({ messageId }),
    answer: { success: true, ...messageIdentity, content: '' },
    access: refusedTo(unknownMessage, { participant: notTheSender }),
  },
  getChannelParticipants: {
    input: ({ channelId }) => ({ channelId }),
    answer: {
      success: true,
      participants: [
        { wallet: '<owner>', username: 'Ada', avatar: '<url>/avatars/<owner>.svg', present: false },
        {
          wallet: '<participant>',
          username: '<short participant>',
          avatar: '<url>/avatars/<participant>.svg',
          present: false,
        },
      ],
    },
    access: refusedTo(unknownChannel, {
      participant: 'shared',
      gameServer: 'shared',
      otherGameServer: unknownChannel,
    }),
  },
  addParticipant: {
    input: ({ channelId, stranger }) => ({ channelId, wallet: stranger.wallet }),
    answer: {
      ...channel,
      participants: [...participants, { wallet: '<stranger>', userGroup: 0, permissions: ['send-messages'] }],
    },
    access: refusedTo(unknownChannel, { participant: withoutPermission }),
  },
  removeParticipant: {
    input: ({ channelId, owner, participant }, by) => ({
      channelId,
      wallet: by === 'owner' ? participant.wallet : owner.wallet,
    }),
    answer: { ...channel, participants: participants.slice(0, 1) },
    access: refusedTo(unknownChannel, { participant: withoutPermission }),
  },
  editGroupInfo: {
    input: ({ channelId }) => ({ channelId, name: 'Crew', chatPicture: 'https://rapids.example/crew.png' }),
    answer: { ...channel, name: 'Crew', chatPicture: 'https://rapids.example/crew.png' },
    access: refusedTo(unknownChannel, { participant: withoutPermission }),
  },
  sendTypingSignal: {
    input: ({ channelId }) => ({ channelId }),
    answer: { success: true },
    access: refusedTo(unknownChannel, { participant: 'shared' }),
  },
  markMessagesRead: {
    input: ({ channelId, messageId }) => ({ channelId, messageId }),
    answer: {
      success: true,
      readMarker: {
        _id: '<channel>',
        channelId: '<channel>',
        gameId: '<game>',
        normalizedAddress: '<owner>',
        messageId: '<message id>',
        readAt: '<time>',
      },
    },
    access: readable,
  },
  getUnreadCount: {
    // The owner has written the existing message.
    input: ({ channelId }) => ({ channelId }),
    answer: { success: true, channelId: '<channel>', unreadCount: 0 },
    access: readable,
  },
  addReaction: {
    input: ({ messageId }) => ({ messageId, reaction: '\u{1F3C1}' }),
    answer: {
      success: true,
      messageId: '<message id>',
      channelId: '<channel>',
      reactions: [{ reaction: '\u{1F3C1}', count: 1, own: true }],
    },
    access: reactable,
  },
  removeReaction: {
    input: ({ messageId }) => ({ messageId, reaction: 'gg' }),
    answer: { success: true, messageId: '<message id>', channelId: '<channel>', reactions: [] },
    access: reactable,
  },
} satisfies Partial<LauncherCases>;
