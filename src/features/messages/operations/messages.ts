import { z } from 'zod';
import type { RecordOf } from '../../../core/events/event.ts';
import type { Signals } from '../../../core/events/signals.ts';
import { streamOf } from '../../../core/events/stream.ts';
import { everyRole, moderators } from '../../../core/schemas/admin-role.ts';
import { addressInput, id, idInput, success } from '../../../core/schemas/fields.ts';
import { cursorFieldsOf, cursorOutput, cursorPageOf } from '../../../core/schemas/list-cursor.ts';
import { pagedOutput, pageOf, paging, pagingOf } from '../../../core/schemas/paging.ts';
import { notSeen } from '../../../core/schemas/seen-text.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineAdminOperation, defineOperation, ownerOf } from '../../operation.ts';
import { pageCost } from '../../operation-cost.ts';
import { listMessagesFrom, messageCursor } from '../cursor-queries.ts';
import { messageTyping } from '../events.ts';
import { channelMessage, messageContent, messageIdentity } from '../message-channel.ts';
import { deleteMessage, editMessage, sendMessage, unsendMessage } from '../message-commands.ts';
import {
  listChannelMessages,
  listMessagesForModeration,
  listMessagesOfPlayer,
  typingRecipients,
} from '../queries.ts';

export const getChannelMessages = defineOperation({
  name: 'getChannelMessages',
  service: 'launcher',
  alsoOn: [{ service: 'chat-messages', name: 'getMessages' }],
  kind: 'read',
  summary: "List the messages of one of the player's channels, newest first",
  auth: 'player-or-server',
  input: z.object({ channelId: idInput, ...pagingOf(30), ...cursorFieldsOf(messageCursor) }),
  cost: pageCost(30),
  output: pagedOutput(channelMessage).extend({
    ...cursorOutput,
    originals: z.exactOptional(z.array(channelMessage)).meta({
      description:
        'The messages that replies in `data` refer to, unless they are in `data` too; those that were unsent or are hidden from the player are omitted',
    }),
  }),
  async handler({ input, caller }, { db }: { db: Store }) {
    const owner = ownerOf(caller);
    const isServer = caller.session === null;
    const byCursor = cursorPageOf(input);
    const page = byCursor
      ? await db.read(listMessagesFrom, owner, input.channelId, byCursor, isServer)
      : await db.read(listChannelMessages, owner, input.channelId, input, isServer);
    return {
      total: page.total,
      limit: input.limit,
      skip: input.skip,
      data: page.rows,
      ...(page.originals && { originals: page.originals }),
      ...page.end,
    };
  },
});

export const sendChannelMessage = defineOperation({
  name: 'sendChannelMessage',
  service: 'launcher',
  alsoOn: [{ service: 'chat-messages', name: 'sendMessage' }],
  unsupportedField: { parentId: 'use replyTo to reply to a message' },
  kind: 'write',
  summary: "Send a message to one of the player's channels",
  auth: 'player',
  input: z.object({
    channelId: idInput,
    content: messageContent,
    // A part of the message, and not what it is sent to.
    replyTo: notSeen(idInput, 'data')
      .optional()
      .meta({ description: 'The message in this channel to reply to' }),
  }),
  output: channelMessage,
  handler({ input, caller }, { db, storageQuota }: { db: Store; storageQuota: number }) {
    const { channelId, content, replyTo } = input;
    return db.write(sendMessage, ownerOf(caller), channelId, content, storageQuota, replyTo);
  },
});

export const editChannelMessage = defineOperation({
  name: 'editChannelMessage',
  service: 'launcher',
  alsoOn: [{ service: 'chat-messages', name: 'editMessage' }],
  kind: 'write',
  summary: "Edit one of the player's messages",
  auth: 'player',
  input: z.object({ messageId: idInput, newContent: messageContent }),
  output: channelMessage,
  handler({ input, caller }, { db, storageQuota }: { db: Store; storageQuota: number }) {
    return db.write(editMessage, ownerOf(caller), input.messageId, input.newContent, storageQuota);
  },
});

export const unsendChannelMessage = defineOperation({
  name: 'unsendChannelMessage',
  service: 'launcher',
  alsoOn: [{ service: 'chat-messages', name: 'unsendMessage' }],
  kind: 'write',
  summary: "Unsend one of the player's messages and permanently erase its content",
  auth: 'player',
  input: z.object({ messageId: idInput }),
  output: z.object({
    success,
    ...messageIdentity.shape,
    content: z
      .literal('')
      .meta({ description: 'Always empty; present for clients that parse the response as a message' }),
  }),
  async handler({ input, caller }, { db }: { db: Store }) {
    const unsent = await db.write(unsendMessage, ownerOf(caller), input.messageId);
    return { success: true, ...unsent, content: '' as const };
  },
});

export const sendTypingSignal = defineOperation({
  name: 'sendTypingSignal',
  service: 'chat-messages',
  kind: 'write',
  isRepeatable: true,
  summary:
    'Send a typing indicator to the other participants of a channel (not stored; at most one every two seconds)',
  auth: 'player',
  input: z.object({ channelId: idInput }),
  output: z.object({ success }),
  async handler({ input, caller }, { db, signals }: { db: Store; signals: Signals }) {
    const owner = ownerOf(caller);
    const { channelId } = input;
    const wallets = await db.read(typingRecipients, owner, channelId);
    if (wallets.length === 0) return { success: true };
    signals.send(`${owner.wallet} ${channelId}`, {
      name: messageTyping.name,
      record: { channelId, wallet: owner.wallet } satisfies RecordOf<typeof messageTyping>,
      stream: streamOf.channel(channelId),
      audience: { kind: 'players', gameId: owner.gameId, wallets },
    });
    return { success: true };
  },
});

export const listMessages = defineAdminOperation({
  name: 'listMessages',
  kind: 'read',
  summary: 'List the messages of any channel, newest first',
  roles: everyRole,
  input: z.object({ channelId: idInput, ...paging }),
  output: pagedOutput(channelMessage),
  async handler({ input }, { db }: { db: Store }) {
    return pageOf(input, await db.read(listMessagesForModeration, input.channelId, input));
  },
});

export const listPlayerMessages = defineAdminOperation({
  name: 'listPlayerMessages',
  kind: 'read',
  summary: 'List the messages that a player has sent, in one game or in all games, newest first',
  roles: everyRole,
  input: z.object({ wallet: addressInput, gameId: idInput.optional(), ...paging }),
  output: pagedOutput(channelMessage.extend({ gameId: id }).meta({ id: 'PlayerMessage' })),
  async handler({ input }, { db }: { db: Store }) {
    return pageOf(input, await db.read(listMessagesOfPlayer, input, input));
  },
});

export const removeMessage = defineAdminOperation({
  name: 'removeMessage',
  kind: 'write',
  summary: "Remove a player's message and permanently erase its content",
  roles: moderators,
  input: z.object({ messageId: idInput }),
  output: z.object({ success, ...messageIdentity.shape }),
  async handler({ input }, { db }: { db: Store }) {
    return { success: true, ...(await db.write(deleteMessage, input.messageId)) };
  },
});
