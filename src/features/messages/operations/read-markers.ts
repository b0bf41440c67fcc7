import { z } from 'zod';
import { id, idInput, success } from '../../../core/schemas/fields.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation, ownerOf } from '../../operation.ts';
import { fixedCost } from '../../operation-cost.ts';
import { readMarker, toUnreadFields, unreadFields } from '../read-marker.ts';
import { moveReadMarker } from '../read-marker-commands.ts';
import { findUnread } from '../unread.ts';

export const getUnreadCount = defineOperation({
  name: 'getUnreadCount',
  service: 'chat-messages',
  kind: 'read',
  summary: "Get the number of unread messages in a channel and the player's read marker",
  auth: 'player-or-server',
  input: z.object({ channelId: idInput }),
  cost: fixedCost('read', 3),
  output: z.object({ success, channelId: id, ...unreadFields }),
  async handler({ input, caller }, { db }: { db: Store }) {
    const unread = await db.read(findUnread, ownerOf(caller), input.channelId);
    return { success: true, channelId: unread.channelId, ...toUnreadFields(unread) };
  },
});

export const markMessagesRead = defineOperation({
  name: 'markMessagesRead',
  service: 'chat-messages',
  kind: 'write',
  summary: 'Mark a channel as read up to a message (the read marker only moves forward)',
  auth: 'player-or-server',
  input: z.object({
    channelId: idInput,
    messageId: idInput.meta({ description: 'The newest message that the player has read' }),
  }),
  output: z.object({ success, readMarker }),
  async handler({ input, caller }, { db }: { db: Store }) {
    const marker = await db.write(moveReadMarker, ownerOf(caller), input.channelId, input.messageId);
    return { success: true, readMarker: marker };
  },
});
