import { z } from 'zod';
import { id, idInput } from '../../core/schemas/ids.ts';
import { success } from '../../core/schemas/outcome.ts';
import type { Database } from '../../core/storage/database.ts';
import { defineOperation } from '../../operations/define.ts';
import { ownerOf } from '../../operations/owner.ts';
import { reactionCount, reactionInput } from '../reaction.ts';
import { removeReactionFrom } from '../reaction-commands.ts';

export const removeReaction = defineOperation({
  name: 'removeReaction',
  service: 'chat-messages',
  kind: 'write',
  summary: 'Take back a reaction of the player to a message',
  auth: 'player-or-server',
  serverOnlyWith: 'addReaction',
  input: z.object({ messageId: idInput, reaction: reactionInput }),
  output: z.object({ success, messageId: id, channelId: id, reactions: z.array(reactionCount) }),
  async handler({ input, caller }, { db }: { db: Database }) {
    const { messageId, reaction } = input;
    const answer = await db.write(removeReactionFrom, ownerOf(caller), messageId, reaction);
    return { success: true, ...answer };
  },
});
