import type { Benchmark, Row } from '../benchmark.ts';
import { fillBoardBySql, walletOf } from '../fill-by-sql.ts';
import { jsonPost } from '../json-post.ts';
import { compareLatencies } from '../latency.ts';
import { startGantry } from '../server-process.ts';
import { makeWorld } from '../world.ts';

const playerCount = 1_000_000;
const requestsARound = 1_000;

export const boardDeep: Benchmark = {
  name: 'board-deep',
  summary:
    'a page at rank 500,000 of 1,000,000, and a position there, against the top page: p99 of the time taken',
  async run(settings) {
    await using world = await makeWorld(0);
    settings.say(`board-deep: putting ${playerCount} players on a board`);
    fillBoardBySql(world.dataDirectory, world.gameId, playerCount);
    await using ours = await startGantry(world, settings);
    const { gameId } = world;
    const ask = (method: string, input: object) =>
      jsonPost('/scores', { gameId, ...input }, { 'x-service-method': method });
    // A different page each time, so that finding it is measured, not the cache.
    const pages = (from: number) => (index: number) =>
      ask('getGameScoresLeaderboard', { skip: from + index, limit: 50 });
    const position = (index: number) =>
      ask('getUsersPositionInGameScoreLeaderboard', { wallet: walletOf(playerCount / 2 + index * 17) });
    const rows: Row[] = [];
    for (const [variant, requestOf] of [
      ['page at rank 500,000', pages(playerCount / 2)],
      ['position at rank 500,000', position],
    ] as const) {
      const figure = { name: 'board-deep', variant: `${variant}, p99`, aim: '≤ 1.5' };
      const sides = { ours: requestOf, against: pages(0) };
      rows.push(await compareLatencies(figure, ours, sides, { ...settings, requests: requestsARound }));
    }
    return rows;
  },
};
