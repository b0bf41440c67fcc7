import { z } from 'zod';
import { cursorFieldsOf, cursorOutput, cursorPageOf } from '../../core/schemas/list-cursor.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import { pagedOutput, pagingOf, shortened } from '../../core/schemas/paging.ts';
import type { Store } from '../../core/storage/store.ts';
import { defineOperation } from '../../operations/define.ts';
import { ownerOf } from '../../operations/owner.ts';
import { channelCursor, listChannelsFrom } from '../cursor-queries.ts';
import { type MessageChannel, messageChannel } from '../message-channel.ts';
import { listChannels } from '../queries.ts';
import { toUnreadFields, unreadFields } from '../read-marker.ts';
import { listUnread } from '../unread.ts';

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
  const unread = await db.read(
    listUnread,
    owner,
    channels.map(({ _id }) => _id),
  );
  const byChannel = new Map(unread.map((one) => [one.channelId, one]));
  return channels.map((channel) => {
    const own = byChannel.get(channel._id);
    return own ? { ...channel, ...toUnreadFields(own) } : channel; // absent if the player has just left the channel
  });
}
