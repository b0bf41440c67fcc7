import { z } from 'zod';
import { idInput } from '../../domain/ids.ts';
import { success } from '../../domain/outcome.ts';
import { streamOf } from '../../events/stream.ts';
import { defineOperation } from '../define.ts';
import { ownerOf } from '../owner.ts';

export const sendTypingSignal = defineOperation({
  name: 'sendTypingSignal',
  service: 'chat-messages',
  kind: 'write',
  summary:
    'Show the others in a channel that the player is writing; never stored, passed on once in two seconds',
  auth: 'player',
  input: z.object({ channelId: idInput }),
  output: z.object({ success }),
  async handler({ input, caller }, { store, signals }) {
    const owner = ownerOf(caller);
    const channel = await store.messageChannels.get(owner, input.channelId, 'send-messages');
    signals.send(`${owner.wallet} ${channel._id}`, {
      name: 'chat-messages typing',
      record: { channelId: channel._id, wallet: owner.wallet },
      stream: streamOf.channel(channel._id),
      audience: {
        kind: 'players',
        gameId: owner.gameId,
        wallets: channel.participants.map(({ wallet }) => wallet).filter((wallet) => wallet !== owner.wallet),
      },
    });
    return { success: true };
  },
});
