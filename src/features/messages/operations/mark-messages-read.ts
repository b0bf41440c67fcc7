import { z } from 'zod';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { ownerOf } from '../../owner.ts';
import { readMarker } from '../read-marker.ts';
import { moveReadMarker } from '../read-marker-commands.ts';

export const markMessagesRead = defineOperation({
  name: 'markMessagesRead',
  service: 'chat-messages',
  kind: 'write',
  summary: 'Mark a channel as read up to a message; the marker only moves forward',
  auth: 'player-or-server',
  input: z.object({
    channelId: idInput,
    messageId: idInput.meta({ description: 'The newest message that the player has seen' }),
  }),
  output: z.object({ success, readMarker }),
  async handler({ input, caller }, { db }: { db: Store }) {
    const marker = await db.write(moveReadMarker, ownerOf(caller), input.channelId, input.messageId);
    return { success: true, readMarker: marker };
  },
});
