import { z } from 'zod';
import { addressInput, success, text } from '../../../core/schemas/fields.ts';
import { pageNumberingOf } from '../../../core/schemas/paging.ts';
import { notSeen, seenByOthers } from '../../../core/schemas/seen-text.ts';
import type { Store } from '../../../core/storage/store.ts';
import { gameInput } from '../../games/require-game.ts';
import { defineOperation, ownerOf } from '../../operation.ts';
import { pageCost } from '../../operation-cost.ts';
import { activityRecord, activityType, feedItem, maxLabelLength, toFeedItem } from '../activity.ts';
import { recordActivity } from '../commands.ts';
import { listActivities } from '../queries.ts';

export const sendCustomActivity = defineOperation({
  name: 'sendCustomActivity',
  service: 'launcher',
  kind: 'write',
  summary: 'Record an activity of the player in the public feed',
  auth: 'player-or-server',
  input: z.object({
    label: seenByOthers(
      text(1, maxLabelLength).meta({
        description: 'The placeholders {username} and {wallet} are replaced when the feed is read',
      }),
      { as: 'text', mute: 'call' },
    ),
    eventId: notSeen(text(1, 200), 'id'),
  }),
  output: z.object({ success, activity: activityRecord }),
  async handler({ input, caller }, { db }: { db: Store }) {
    return { success: true, activity: await db.write(recordActivity, ownerOf(caller), input) };
  },
});

export const getActivities = defineOperation({
  name: 'getActivities',
  service: 'activities',
  kind: 'read',
  summary: 'List the activities in the public feed, newest first',
  auth: 'public',
  getPath: '/activities',
  unsupportedField: {
    filter: 'the feed can be filtered by walletAddress, gameId and type only',
    chainId: 'the feed does not distinguish chains; omit chainId',
  },
  input: z.object({
    ...pageNumberingOf(10),
    walletAddress: addressInput.optional(),
    gameId: gameInput.optional(),
    type: activityType.optional(),
  }),
  cost: {
    text: 'one read for every 50 rows of `pageSize`, and one more for every 2,000 rows before the page',
    of: ({ pageNumber, pageSize }) => pageCost(50).of({ limit: pageSize, skip: (pageNumber - 1) * pageSize }),
  },
  output: z.object({
    success,
    result: z.object({ pageNumber: z.int(), pageSize: z.int(), data: z.array(feedItem) }),
  }),
  async handler({ input }, { db }: { db: Store }) {
    const { pageNumber, pageSize, walletAddress, gameId, type } = input;
    const page = { limit: pageSize, skip: (pageNumber - 1) * pageSize };
    const activities = await db.read(listActivities, { wallet: walletAddress, gameId, type }, page);
    return { success: true, result: { pageNumber, pageSize, data: activities.map(toFeedItem) } };
  },
});
