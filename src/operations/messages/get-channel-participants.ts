import { z } from 'zod';
import { normalizedAddress } from '../../domain/address.ts';
import { idInput } from '../../domain/ids.ts';
import { success } from '../../domain/outcome.ts';
import { shownName } from '../../domain/player.ts';
import { defineOperation } from '../define.ts';
import { ownerOf } from '../owner.ts';

const shownParticipant = z
  .object({
    wallet: normalizedAddress,
    username: z.string().min(1),
    avatar: z.string().min(1),
    present: z.boolean().meta({ description: 'Whether someone is there, in this game or in a launcher' }),
  })
  .meta({ id: 'ShownParticipant' });

export const getChannelParticipants = defineOperation({
  name: 'getChannelParticipants',
  service: 'message-channels',
  kind: 'read',
  summary: 'Tell who is in a channel the player is in: their names and pictures, and who is there now',
  auth: 'player',
  input: z.object({ channelId: idInput }),
  output: z.object({ success, participants: z.array(shownParticipant) }),
  async handler({ input, caller }, { store, presence, links }) {
    const members = await store.channelMembers.list(ownerOf(caller), input.channelId);
    const participants = members.map(async ({ sessionIds, ...player }) => {
      const there = await Promise.all(sessionIds.map((sessionId) => presence.isPresent(sessionId)));
      return {
        wallet: player.wallet,
        username: shownName(player),
        avatar: links.avatar(player),
        present: there.includes(true),
      };
    });
    return { success: true, participants: await Promise.all(participants) };
  },
});
