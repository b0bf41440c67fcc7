import { z } from 'zod';
import type { Presence } from '../../../cluster/presence/presence.ts';
import type { PublicUrls } from '../../../core/public-urls.ts';
import { normalizedAddress } from '../../../core/schemas/address.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { fixedCost } from '../../cost.ts';
import { defineOperation } from '../../operation.ts';
import { ownerOf } from '../../owner.ts';
import { displayName } from '../../players/player.ts';
import { listChannelMembers } from '../queries.ts';

const shownParticipant = z
  .object({
    wallet: normalizedAddress,
    username: z.string().min(1),
    avatar: z.string().min(1),
    present: z.boolean().meta({ description: 'Whether the player is online, in this game or in a launcher' }),
  })
  .meta({ id: 'ShownParticipant' });

export const getChannelParticipants = defineOperation({
  name: 'getChannelParticipants',
  service: 'message-channels',
  kind: 'read',
  summary: 'List the participants of a channel the player is in: their names, pictures, and who is online',
  auth: 'player-or-server',
  input: z.object({ channelId: idInput }),
  cost: fixedCost('read', 5),
  output: z.object({ success, participants: z.array(shownParticipant) }),
  async handler(
    { input, caller },
    { db, presence, publicUrls }: { db: Store; presence: Presence; publicUrls: PublicUrls },
  ) {
    const members = await db.read(listChannelMembers, ownerOf(caller), input.channelId);
    const participants = members.map(async ({ sessionIds, ...player }) => {
      const present = await Promise.all(sessionIds.map((sessionId) => presence.isPresent(sessionId)));
      return {
        wallet: player.wallet,
        username: displayName(player),
        avatar: publicUrls.avatar(player),
        present: present.includes(true),
      };
    });
    return { success: true, participants: await Promise.all(participants) };
  },
});
