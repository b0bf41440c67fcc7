import { z } from 'zod';
import { id, idInput, success } from '../../../core/schemas/fields.ts';
import { notSeen } from '../../../core/schemas/seen-text.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation, ownerOf } from '../../operation.ts';
import { newReaction, reactionCount, reactionInput } from '../reaction.ts';
import { addReactionTo, removeReactionFrom } from '../reaction-commands.ts';

export const addReaction = defineOperation({
  name: 'addReaction',
  service: 'chat-messages',
  kind: 'write',
  summary: "Add a reaction to a message: an emoji, or one of the game's emotes",
  auth: 'player-or-server',
  input: z.object({ messageId: idInput, reaction: newReaction }),
  output: z.object({ success, messageId: id, channelId: id, reactions: z.array(reactionCount) }),
  async handler({ input, caller }, { db, storageQuota }: { db: Store; storageQuota: number }) {
    const { messageId, reaction } = input;
    const reacted = await db.write(addReactionTo, ownerOf(caller), messageId, reaction, storageQuota);
    return { success: true, ...reacted };
  },
});

export const removeReaction = defineOperation({
  name: 'removeReaction',
  service: 'chat-messages',
  kind: 'write',
  summary: "Remove the player's reaction to a message",
  auth: 'player-or-server',
  serverOnlyWith: 'addReaction',
  input: z.object({ messageId: idInput, reaction: notSeen(reactionInput, 'id') }),
  output: z.object({ success, messageId: id, channelId: id, reactions: z.array(reactionCount) }),
  async handler({ input, caller }, { db }: { db: Store }) {
    const { messageId, reaction } = input;
    const reacted = await db.write(removeReactionFrom, ownerOf(caller), messageId, reaction);
    return { success: true, ...reacted };
  },
});
