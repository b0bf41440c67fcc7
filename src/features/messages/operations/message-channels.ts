import { z } from 'zod';
import { invalidField } from '../../../core/errors.ts';
import type { PublicUrls } from '../../../core/public-urls.ts';
import { everyRole } from '../../../core/schemas/admin-role.ts';
import { withReason } from '../../../core/schemas/field-reason.ts';
import { addressInput, idInput, normalizedAddress } from '../../../core/schemas/fields.ts';
import { cursorFieldsOf, cursorOutput, cursorPageOf } from '../../../core/schemas/list-cursor.ts';
import type { Owner } from '../../../core/schemas/owner.ts';
import { pagedOutput, pageOf, paging, pagingOf, shortened } from '../../../core/schemas/paging.ts';
import type { Store } from '../../../core/storage/store.ts';
import { requireGame } from '../../games/require-game.ts';
import { defineAdminOperation, defineOperation, defineOtherForm, ownerOf } from '../../operation.ts';
import { type Cost, pageCost } from '../../operation-cost.ts';
import { displayName } from '../../players/player.ts';
import { createChannel, editChannelInfo } from '../channel-commands.ts';
import { namedInPreview, readPreviews, searchedForPreview } from '../channel-previews.ts';
import { channelCursor, listChannelsFrom } from '../cursor-queries.ts';
import {
  type ChannelMessage,
  channelMessage,
  channelName,
  chatPicture,
  type MessageChannel,
  maxParticipants,
  messageChannel,
  type NewChannelInfo,
  newChannelName,
} from '../message-channel.ts';
import { newParticipant } from '../new-participant.ts';
import { listChannels, listChannelsOfGame } from '../queries.ts';
import { toUnreadFields, type Unread, unreadFields } from '../read-marker.ts';
import { listUnread } from '../unread.ts';

const maxOthers = maxParticipants - 1;

const otherParticipants = withReason(
  someOf(addressInput).refine(areDistinct, 'must not contain a wallet twice'),
  'participants_invalid',
);

/** Participants with their permissions. */
const participants = withReason(
  someOf(newParticipant).refine(
    (others) => areDistinct(others.map(({ wallet }) => wallet)),
    'must not contain a wallet twice',
  ),
  'participants_invalid',
);

function someOf<One extends z.ZodType>(one: One) {
  return z
    .array(one)
    .min(1, 'must have at least one other participant')
    .max(maxOthers, `must have at most ${maxOthers} other participants`);
}

const channelCost: Cost<{ otherParticipants: readonly unknown[] }> = {
  text: 'one write for every 5 participants',
  of: ({ otherParticipants: others }) => (others.length + 1) / 5,
};

function areDistinct(wallets: readonly string[]): boolean {
  return new Set(wallets).size === wallets.length;
}

export const createMessageChannel = defineOperation({
  name: 'createMessageChannel',
  service: 'launcher',
  kind: 'write',
  summary:
    'Create a message channel with other players, or return the one that already has these participants',
  auth: 'player',
  alsoOn: [{ service: 'message-channels', name: 'createNewGroupChat' }],
  input: z.object({
    otherParticipants,
    channelName: newChannelName
      .optional()
      .meta({ description: 'Name of the new channel; ignored if the channel already exists' }),
  }),
  otherForm: defineOtherForm({
    auth: 'player',
    isUsed: ({ otherParticipants: others }) => Array.isArray(others) && others.some(isObject),
    input: z.object({ name: newChannelName.nullish(), otherParticipants: participants }),
    output: messageChannel,
    cost: channelCost,
    handler({ input: { name, otherParticipants: others }, caller }, { db }: { db: Store }) {
      const permissions = Object.fromEntries(others.map((one) => [one.wallet, one.permissions]));
      const wallets = others.map(({ wallet }) => wallet);
      return create(db, ownerOf(caller), wallets, { name: name ?? undefined, permissions });
    },
  }),
  cost: channelCost,
  output: messageChannel,
  handler({ input, caller }, { db }: { db: Store }) {
    return create(db, ownerOf(caller), input.otherParticipants, { name: input.channelName });
  },
});

async function create(
  db: Store,
  owner: Owner,
  others: readonly string[],
  info: NewChannelInfo,
): Promise<MessageChannel> {
  if (others.includes(owner.wallet)) {
    throw invalidField('otherParticipants', 'must not contain your own wallet', 'participants_invalid');
  }
  return db.write(createChannel, owner, others, info);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** Counting their unread messages takes up to 3 ms, and reading their last ones less. */
const channelsPerRead = 20;

/** One of the player's channels, with its unread messages and its last one if requested. */
const listedChannel = messageChannel
  .extend({
    ...unreadFields,
    unreadCount: z.exactOptional(unreadFields.unreadCount),
    lastMessage: z.exactOptional(channelMessage.nullable()).meta({
      description: `Only with \`withPreview\`: the last message, without the player's own reactions marked; null if the player can see none of the newest ${searchedForPreview}`,
    }),
  })
  .meta({ id: 'ListedMessageChannel' });

const participantProfile = z
  .object({ wallet: normalizedAddress, username: z.string().min(1), avatar: z.string().min(1) })
  .meta({ id: 'ParticipantProfile' });

export const getMessageChannels = defineOperation({
  name: 'getMessageChannels',
  service: 'launcher',
  alsoOn: [{ service: 'message-channels', name: 'getUserChannels' }],
  kind: 'read',
  summary: "List the player's message channels in this game, most recently active first",
  auth: 'player-or-server',
  input: z.object({
    ...pagingOf(20),
    ...cursorFieldsOf(channelCursor),
    withUnread: z
      .boolean()
      .optional()
      .meta({ description: 'Whether to include the number of unread messages of each channel' }),
    withPreview: z.boolean().optional().meta({
      description: 'Whether to include the last message of each channel and the names of its participants',
    }),
  }),
  cost: {
    text: `${pageCost(10).text}; \`withUnread\` and \`withPreview\` each add twice that`,
    of: ({ withUnread, withPreview, ...page }) =>
      (1 + (withUnread ? 2 : 0) + (withPreview ? 2 : 0)) * pageCost(10).of(page),
  },
  output: pagedOutput(listedChannel).extend({
    players: z.exactOptional(z.array(participantProfile)).meta({
      description: `Only with \`withPreview\`: the first ${namedInPreview} participants of each channel other than the player`,
    }),
    shortened,
    ...cursorOutput,
  }),
  async handler({ input, caller }, { db, publicUrls }: { db: Store; publicUrls: PublicUrls }) {
    const owner = ownerOf(caller);
    const byCursor = cursorPageOf(input);
    const { total, rows, isShortened, end } = byCursor
      ? await db.read(listChannelsFrom, owner, byCursor)
      : await db.read(listChannels, owner, input);
    const channels = input.withUnread ? await withUnread(db, owner, rows) : rows;
    return {
      total,
      limit: input.limit,
      skip: input.skip,
      ...(input.withPreview ? await withPreview(db, publicUrls, owner, channels) : { data: channels }),
      ...(isShortened && { shortened: true as const }),
      ...end,
    };
  },
});

async function withUnread(db: Store, owner: Owner, channels: readonly MessageChannel[]) {
  const byChannel = new Map<string, Unread>();
  // In parts, so that other calls run in between.
  for (let at = 0; at < channels.length; at += channelsPerRead) {
    const ids = channels.slice(at, at + channelsPerRead).map(({ _id }) => _id);
    for (const one of await db.read(listUnread, owner, ids)) byChannel.set(one.channelId, one);
  }
  return channels.map((channel) => {
    const own = byChannel.get(channel._id);
    return own ? { ...channel, ...toUnreadFields(own) } : channel; // absent if the player has just left the channel
  });
}

async function withPreview(
  db: Store,
  publicUrls: PublicUrls,
  owner: Owner,
  channels: readonly MessageChannel[],
) {
  const data: (MessageChannel & { lastMessage: ChannelMessage | null })[] = [];
  const players = new Map<string, z.infer<typeof participantProfile>>();
  for (let at = 0; at < channels.length; at += channelsPerRead) {
    const part = channels.slice(at, at + channelsPerRead);
    const { lastMessages, profiles } = await db.read(readPreviews, owner, part);
    for (const channel of part) data.push({ ...channel, lastMessage: lastMessages.get(channel._id) ?? null });
    for (const one of profiles) {
      players.set(one.wallet, {
        wallet: one.wallet,
        username: displayName(one),
        avatar: publicUrls.avatar(one),
      });
    }
  }
  return { data, players: [...players.values()] };
}

export const listGameChannels = defineAdminOperation({
  name: 'listGameChannels',
  kind: 'read',
  summary: "List a game's message channels, most recently active first",
  roles: everyRole,
  input: z.object({ gameId: idInput, ...paging }),
  output: pagedOutput(messageChannel).extend({ shortened }),
  async handler({ input }, { db }: { db: Store }) {
    await requireGame(db, input.gameId);
    const found = await db.read(listChannelsOfGame, input.gameId, input);
    return { ...pageOf(input, found), ...(found.isShortened && { shortened: true as const }) };
  },
});

export const editGroupInfo = defineOperation({
  name: 'editGroupInfo',
  service: 'message-channels',
  kind: 'write',
  summary: "Update a channel's name or picture (requires the permission edit-info)",
  auth: 'player',
  input: z.object({
    channelId: idInput,
    name: channelName.optional(),
    chatPicture: chatPicture.optional().meta({ description: 'URL of the picture; empty for no picture' }),
  }),
  otherForm: defineOtherForm({
    auth: 'player',
    isUsed: ({ messageChannelId }) => messageChannelId !== undefined,
    input: z.object({
      messageChannelId: idInput,
      newTitle: channelName.nullish(),
      newImage: chatPicture.nullish(),
    }),
    output: messageChannel,
    handler({ input, caller }, { db }: { db: Store }) {
      const info = { name: input.newTitle ?? undefined, chatPicture: input.newImage ?? undefined };
      return db.write(editChannelInfo, ownerOf(caller), input.messageChannelId, info);
    },
  }),
  output: messageChannel,
  handler({ input, caller }, { db }: { db: Store }) {
    return db.write(editChannelInfo, ownerOf(caller), input.channelId, input);
  },
});
