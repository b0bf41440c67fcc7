import { expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { listActivities } from '../../src/features/activities/queries.ts';
import { findGameDetails } from '../../src/features/games/library-queries.ts';
import { allGames, findGameBySlug } from '../../src/features/games/queries.ts';
import { listNewsRows } from '../../src/features/news/queries.ts';
import { readRules } from '../../src/features/rules/queries.ts';
import { defaultBoardOf } from '../../src/features/scores/board-rows.ts';
import { readBoardPage } from '../../src/features/scores/leaderboard-queries.ts';
import { type OpenStore, openStore } from '../../src/server/open-store.ts';
import { demoSlug } from '../../src/tools/demo/demo-data.ts';
import { seedDemo } from '../../src/tools/demo/seed.ts';
import { wholePage } from '../contracts/storage/fixture.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

test('servers that start on one fresh directory at the same time seed it once, and none of them fails', async () => {
  await using directory = await temporaryDirectory();
  const config = readConfig({ DATA_DIR: directory.path });
  const workspaces = await Promise.all([1, 2, 3].map(() => openStore(config)));
  const seeded = await Promise.allSettled(workspaces.map(({ db, box }) => seedDemo(db, box)));
  const [first] = workspaces;
  const content = first && (await contentOf(first));
  await Promise.all(workspaces.map(({ db }) => db.close()));
  expect(seeded.filter(({ status }) => status === 'rejected')).toEqual([]);
  expect(content).toEqual({
    ...{ games: 2, scores: 5, activities: 5, rules: 2, news: 1 },
    ...{ tags: ['arcade', 'one button'], version: '1.0' },
  });
});

async function contentOf({ db }: OpenStore) {
  const demo = await db.read(findGameBySlug, demoSlug);
  if (!demo) throw new Error('the demo game is missing');
  const { tags, version } = await db.read(findGameDetails, demo.id);
  return {
    games: (await db.read(allGames)).length,
    scores: (await db.read(readBoardPage, defaultBoardOf(demo.id), wholePage)).length,
    activities: (await db.read(listActivities, {}, wholePage)).length,
    rules: (await db.read(readRules, demo.id)).rules.length,
    news: (await db.read(listNewsRows, { gameId: demo.id, ...wholePage })).total,
    tags,
    version,
  };
}
