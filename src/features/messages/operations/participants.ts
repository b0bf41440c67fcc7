import { z } from 'zod';
import type { Presence } from '../../../cluster/presence/presence.ts';
import type { PublicUrls } from '../../../core/public-urls.ts';
import { addressInput, idInput, normalizedAddress, success } from '../../../core/schemas/fields.ts';
import { unsupportedField } from '../../../core/schemas/unsupported-field.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation, defineOtherForm, ownerOf } from '../../operation.ts';
import { fixedCost } from '../../operation-cost.ts';
import { displayName } from '../../players/player.ts';
import { addToChannel, removeFromChannel } from '../channel-commands.ts';
import { messageChannel } from '../message-channel.ts';
import { newParticipant, noGroups } from '../new-participant.ts';
import { listChannelMembers } from '../queries.ts';

const shownParticipant = z
  .object({
    wallet: normalizedAddress,
    username: z.string().min(1),
    avatar: z.string().min(1),
    present: z.boolean().meta({
      description:
        'Whether the player is online, in this game or, having opened it, in a launcher, and does not appear offline',
    }),
  })
  .meta({ id: 'ShownParticipant' });

interface Needs {
  db: Store;
  presence: Presence;
  players: { isHiding(wallet: string): boolean };
  publicUrls: PublicUrls;
}

export const getChannelParticipants = defineOperation({
  name: 'getChannelParticipants',
  service: 'message-channels',
  kind: 'read',
  summary: "List a channel's participants with their usernames, avatars and online status",
  auth: 'player-or-server',
  input: z.object({ channelId: idInput }),
  cost: fixedCost('read', 5),
  output: z.object({ success, participants: z.array(shownParticipant) }),
  async handler({ input, caller }, { db, presence, players, publicUrls }: Needs) {
    const members = await db.read(listChannelMembers, ownerOf(caller), input.channelId);
    const participants = members.map(async ({ sessionIds, ...player }) => {
      const present = await Promise.all(sessionIds.map((sessionId) => presence.isPresent(sessionId)));
      return {
        wallet: player.wallet,
        username: displayName(player),
        avatar: publicUrls.avatar(player),
        present: present.includes(true) && !players.isHiding(player.wallet),
      };
    });
    return { success: true, participants: await Promise.all(participants) };
  },
});

export const addParticipant = defineOperation({
  name: 'addParticipant',
  service: 'message-channels',
  kind: 'write',
  summary: 'Add a player to a channel (requires the permission add-members)',
  auth: 'player',
  input: z.object({ channelId: idInput, wallet: addressInput }),
  otherForm: defineOtherForm({
    auth: 'player',
    isUsed: ({ messageChannelId }) => messageChannelId !== undefined,
    input: z.object({ messageChannelId: idInput, participant: newParticipant }),
    output: messageChannel,
    async handler({ input: { messageChannelId, participant }, caller }, { db }: { db: Store }) {
      const owner = ownerOf(caller);
      const { wallet, permissions } = participant;
      return db.write(addToChannel, owner, messageChannelId, wallet, permissions);
    },
  }),
  output: messageChannel,
  async handler({ input, caller }, { db }: { db: Store }) {
    const owner = ownerOf(caller);
    return db.write(addToChannel, owner, input.channelId, input.wallet);
  },
});

export const removeParticipant = defineOperation({
  name: 'removeParticipant',
  service: 'message-channels',
  kind: 'write',
  summary: 'Leave a channel, or remove another participant (requires the permission super-admin)',
  auth: 'player',
  input: z.object({
    channelId: idInput,
    wallet: addressInput.optional().meta({ description: 'The participant to remove; default: the player' }),
  }),
  otherForm: defineOtherForm({
    auth: 'player',
    isUsed: ({ messageChannelId }) => messageChannelId !== undefined,
    input: z.object({
      messageChannelId: idInput,
      participant: z.object({ byWallet: addressInput, byUserGroup: unsupportedField(noGroups) }),
    }),
    output: messageChannel,
    handler({ input: { messageChannelId, participant }, caller }, { db }: { db: Store }) {
      return db.write(removeFromChannel, ownerOf(caller), messageChannelId, participant.byWallet);
    },
  }),
  output: messageChannel,
  handler({ input, caller }, { db }: { db: Store }) {
    const owner = ownerOf(caller);
    return db.write(removeFromChannel, owner, input.channelId, input.wallet ?? owner.wallet);
  },
});
