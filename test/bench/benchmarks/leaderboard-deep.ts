import { dataFiles } from '../../../src/config.ts';
import { addLeaderboard } from '../../../src/features/scores/leaderboard-commands.ts';
import { findLeaderboard } from '../../../src/features/scores/leaderboard-queries.ts';
import type { Benchmark, Row } from '../benchmark.ts';
import { fillLeaderboardBySql, walletOf } from '../fill-by-sql.ts';
import { jsonPost } from '../json-post.ts';
import { compareLatencies } from '../latency.ts';
import { startGantry } from '../server-process.ts';
import { makeWorld } from '../world.ts';

const players = 1_000_000;
const requestsARound = 1_000;
const leaderboard = 'weekly';

export const leaderboardDeep: Benchmark = {
  name: 'leaderboard-deep',
  summary:
    'a page anywhere on a leaderboard by name of 1,000,000, the rows around a player and a position, against its top page: p99 of the time taken',
  async run(settings) {
    let seasonId = '';
    await using world = await makeWorld(0, async (db, { gameId }) => {
      const rules = { keep: 'best', order: 'desc', entries: 'player', public: true } as const;
      await db.write(addLeaderboard, gameId, {
        name: leaderboard,
        ...rules,
        labels: [],
        schedule: null,
        keepSeasons: null,
      });
      seasonId = (await db.read(findLeaderboard, gameId, leaderboard))?.seasonId ?? '';
    });
    settings.say(`leaderboard-deep: putting ${players} players on a leaderboard`);
    const { gameId, dataDirectory } = world;
    fillLeaderboardBySql(dataFiles(dataDirectory).database, { gameId, seasonId }, players, 'n');
    await using ours = await startGantry(world, settings);
    const ask = (method: string, input: object) =>
      jsonPost('/scores', { gameId, leaderboard, ...input }, { 'x-service-method': method });
    const anywhere = () => Math.floor(Math.random() * players);
    const page = (skip: number) => ask('getGameScoresLeaderboard', { skip, limit: 50 });
    const requested = {
      'page anywhere': () => page(anywhere()),
      'around a player': () => ask('getLeaderboardAround', { wallet: walletOf(anywhere()), limit: 50 }),
      position: () => ask('getUsersPositionInGameScoreLeaderboard', { wallet: walletOf(anywhere()) }),
    };
    const rows: Row[] = [];
    for (const [variant, requestOf] of Object.entries(requested)) {
      const figure = { name: 'leaderboard-deep', variant: `${variant}, p99`, aim: '≤ 1.5' };
      // A different page each time: finding it is measured, not the cache.
      const sides = { ours: requestOf, against: page };
      rows.push(await compareLatencies(figure, ours, sides, { ...settings, requests: requestsARound }));
    }
    return rows;
  },
};
