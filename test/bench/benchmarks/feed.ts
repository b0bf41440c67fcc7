import type { Benchmark, Row } from '../benchmark.ts';
import { fillFeedBySql } from '../fill-by-sql.ts';
import { compareLatencies } from '../latency.ts';
import { startGantry } from '../server-process.ts';
import { makeWorld } from '../world.ts';

const activityCount = 1_000_000;
const requestsARound = 200;

export const feed: Benchmark = {
  name: 'feed',
  summary: 'page 1,000 of 1,000,000 activities, all and of one game, against page 1: p99 of the time taken',
  async run(settings) {
    await using world = await makeWorld(0);
    settings.say(`feed: writing ${activityCount} activities`);
    fillFeedBySql(world.dataDirectory, world.gameId, activityCount);
    await using ours = await startGantry(world, settings);
    const rows: Row[] = [];
    for (const [variant, filter] of [
      ['all', ''],
      ['of one game', `&gameId=${world.gameId}`],
      ['of one type', '&type=off-chain'],
    ] as const) {
      const read = (page: number) => ({
        method: 'GET' as const,
        path: `/activities?pageNumber=${page}${filter}`,
        headers: {},
        body: '',
      });
      const figure = { name: 'feed', variant: `page 1,000, ${variant}, p99`, aim: '≤ 2' };
      const sides = { ours: () => read(1_000), against: () => read(1) };
      rows.push(await compareLatencies(figure, ours, sides, { ...settings, requests: requestsARound }));
    }
    return rows;
  },
};
