import { z } from 'zod';
import { activityType, feedItem, toFeedItem } from '../../domain/activity.ts';
import { addressInput } from '../../domain/address.ts';
import { idInput } from '../../domain/ids.ts';
import { success } from '../../domain/outcome.ts';
import { pageNumbering } from '../../domain/paging.ts';
import { defineOperation } from '../define.ts';

export const getActivities = defineOperation({
  name: 'getActivities',
  service: 'activities',
  kind: 'read',
  summary: 'Read the public activity feed, newest first',
  auth: 'public',
  getPath: '/activities',
  input: z.object({
    ...pageNumbering,
    walletAddress: addressInput.optional(),
    gameId: idInput.optional(),
    type: activityType.optional(),
  }),
  output: z.object({
    success,
    result: z.object({ pageNumber: z.int(), pageSize: z.int(), data: z.array(feedItem) }),
  }),
  async handler({ input }, { store }) {
    const { pageNumber, pageSize, walletAddress, gameId, type } = input;
    const page = { limit: pageSize, skip: (pageNumber - 1) * pageSize };
    const activities = await store.activities.list({ wallet: walletAddress, gameId, type }, page);
    return { success: true, result: { pageNumber, pageSize, data: activities.map(toFeedItem) } };
  },
});
