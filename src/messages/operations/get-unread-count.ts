import { z } from 'zod';
import { id, idInput } from '../../core/schemas/ids.ts';
import { success } from '../../core/schemas/outcome.ts';
import type { Database } from '../../core/storage/database.ts';
import { defineOperation } from '../../operations/define.ts';
import { ownerOf } from '../../operations/owner.ts';
import { toUnreadFields, unreadFields } from '../read-marker.ts';
import { findUnread } from '../unread.ts';

export const getUnreadCount = defineOperation({
  name: 'getUnreadCount',
  service: 'chat-messages',
  kind: 'read',
  summary: 'Tell how many messages of a channel the player has not read, and up to which one they have',
  auth: 'player-or-server',
  input: z.object({ channelId: idInput }),
  output: z.object({ success, channelId: id, ...unreadFields }),
  async handler({ input, caller }, { db }: { db: Database }) {
    const unread = await db.read(findUnread, ownerOf(caller), input.channelId);
    return { success: true, channelId: unread.channelId, ...toUnreadFields(unread) };
  },
});
