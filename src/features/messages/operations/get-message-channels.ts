import { z } from 'zod';
import { cursorFieldsOf, cursorOutput, cursorPageOf } from '../../../core/schemas/list-cursor.ts';
import type { Owner } from '../../../core/schemas/owner.ts';
import { pagedOutput, pagingOf, shortened } from '../../../core/schemas/paging.ts';
import type { Store } from '../../../core/storage/store.ts';
import { pageCost } from '../../cost.ts';
import { defineOperation } from '../../operation.ts';
import { ownerOf } from '../../owner.ts';
import { channelCursor, listChannelsFrom } from '../cursor-queries.ts';
import { type MessageChannel, messageChannel } from '../message-channel.ts';
import { listChannels } from '../queries.ts';
import { toUnreadFields, type Unread, unreadFields } from '../read-marker.ts';
import { listUnread } from '../unread.ts';

/** Counting their unread messages takes up to 3 ms. */
const channelsPerRead = 20;

/** One of the player's channels, with its unread messages if requested. */
const listedChannel = messageChannel
  .extend({ ...unreadFields, unreadCount: z.exactOptional(unreadFields.unreadCount) })
  .meta({ id: 'ListedMessageChannel' });

export const getMessageChannels = defineOperation({
  name: 'getMessageChannels',
  service: 'launcher',
  alsoOn: [{ service: 'message-channels', name: 'getUserChannels' }],
  kind: 'read',
  summary: "List the player's message channels in this game, latest activity first",
  auth: 'player-or-server',
  input: z.object({
    ...pagingOf(20),
    ...cursorFieldsOf(channelCursor),
    withUnread: z
      .boolean()
      .optional()
      .meta({ description: 'Include the number of unread messages of each channel' }),
  }),
  cost: {
    text: `${pageCost(10).text}; with \`withUnread\`, 3 times that`,
    of: ({ withUnread, ...page }) => (withUnread ? 3 : 1) * pageCost(10).of(page),
  },
  output: pagedOutput(listedChannel).extend({ shortened, ...cursorOutput }),
  async handler({ input, caller }, { db }: { db: Store }) {
    const owner = ownerOf(caller);
    const byCursor = cursorPageOf(input);
    const { total, rows, isShortened, end } = byCursor
      ? await db.read(listChannelsFrom, owner, byCursor)
      : await db.read(listChannels, owner, input);
    return {
      total,
      limit: input.limit,
      skip: input.skip,
      data: input.withUnread ? await withUnread(db, owner, rows) : rows,
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
