import { z } from 'zod';
import type { RecordOf } from '../../../core/events/event.ts';
import type { Signals } from '../../../core/events/signals.ts';
import { streamOf } from '../../../core/events/stream.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { ownerOf } from '../../owner.ts';
import { messageTyping } from '../events.ts';
import { typingRecipients } from '../queries.ts';

export const sendTypingSignal = defineOperation({
  name: 'sendTypingSignal',
  service: 'chat-messages',
  kind: 'write',
  isRepeatable: true,
  summary:
    'Show the other members of a channel that the player is typing; not stored, forwarded at most once per two seconds',
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
