import { expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { demoSlug } from '../../src/demo/demo-data.ts';
import { seedDemo } from '../../src/demo/seed.ts';
import { openWorkspace, type Workspace } from '../../src/workspace.ts';
import { wholePage } from '../contracts/store/fixture.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

test('servers that start on one fresh directory at the same time seed it once, and none of them fails', async () => {
  await using directory = await temporaryDirectory();
  const config = readConfig({ DATA_DIR: directory.path });
  const workspaces = [1, 2, 3].map(() => openWorkspace(config));
  const seeded = await Promise.allSettled(workspaces.map(({ store, box }) => seedDemo(store, box)));
  const [first] = workspaces;
  const content = first && (await contentOf(first));
  await Promise.all(workspaces.map(({ store }) => store.close()));
  expect(seeded.filter(({ status }) => status === 'rejected')).toEqual([]);
  expect(content).toEqual({ games: 2, scores: 5, activities: 5, rules: 1 });
});

async function contentOf({ store }: Workspace) {
  const demo = await store.games.findBySlug(demoSlug);
  if (!demo) throw new Error('there is no demo game');
  return {
    games: (await store.games.list()).length,
    scores: (await store.scores.leaderboard(demo.id, wholePage)).length,
    activities: (await store.activities.list({}, wholePage)).length,
    rules: (await store.rules.get(demo.id)).rules.length,
  };
}
