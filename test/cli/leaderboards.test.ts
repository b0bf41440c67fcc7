import { beforeAll, expect, test } from 'vitest';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { gantry } from '../support/warm-gantry.ts';

const { path: DATA_DIR } = await temporaryDirectory();

async function run(...args: string[]) {
  const { code, stdout, stderr } = await gantry(args, { env: { DATA_DIR, GANTRY_DEMO: 'off' } });
  return { code, stdout, stderr };
}

async function json(...args: string[]): Promise<unknown> {
  const { code, stdout, stderr } = await run(...args, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

beforeAll(async () => {
  // The first command creates the directory, and says so.
  expect((await run('game', 'create', '--name', 'One', '--slug', 'one')).code).toBe(0);
});

test('a leaderboard is created, changed, ended season by season, and removed', async () => {
  const of = ['--game', 'one'];
  const created = ['--keep', 'sum', '--label', 'de', '--label', 'fr', '--schedule', '0 18 * * 5'];
  expect(
    await json('leaderboard', 'create', 'weekly', ...of, ...created, '--time-zone', 'Europe/Berlin'),
  ).toMatchObject({
    leaderboard: 'weekly',
    keep: 'sum',
    order: 'desc',
    entries: 'player',
    public: true,
    labels: ['de', 'fr'],
    schedule: { cron: '0 18 * * 5', timeZone: 'Europe/Berlin' },
    keepSeasons: null,
  });
  expect(await json('leaderboard', 'update', 'weekly', ...of, '--schedule', '0 20 * * 5')).toMatchObject({
    schedule: { cron: '0 20 * * 5', timeZone: 'Europe/Berlin' },
  });
  const changes = ['--private', '--label', 'it', '--schedule', 'none', '--keep-seasons', '2'];
  expect(await json('leaderboard', 'update', 'weekly', ...of, ...changes)).toMatchObject({
    public: false,
    labels: ['de', 'fr', 'it'],
    schedule: null,
    keepSeasons: 2,
  });
  expect(
    await json('leaderboard', 'update', 'weekly', ...of, '--public', '--keep-seasons', 'all'),
  ).toMatchObject({ public: true, labels: ['de', 'fr', 'it'], schedule: null, keepSeasons: null });
  expect(await json('leaderboard', 'end-season', 'weekly', ...of)).toEqual({
    leaderboard: 'weekly',
    season: 2,
  });
  expect(await json('leaderboard', 'seasons', 'weekly', ...of)).toMatchObject([{ season: 1 }]);
  expect(await json('leaderboard', 'weekly', ...of, '--season', '1')).toEqual([]);
  expect(await json('leaderboard', 'list', ...of)).toMatchObject([{ leaderboard: 'weekly', season: 2 }]);
  expect((await run('leaderboard', 'remove', 'weekly', ...of)).stderr).toContain('--yes');
  await json('leaderboard', 'remove', 'weekly', ...of, '--yes');
  expect(await json('leaderboard', 'list', ...of)).toEqual([]);
});

test('its times are dates for people, and Unix milliseconds as JSON', async () => {
  const settings = ['--game', 'one', '--schedule', '0 0 1 1 *'];
  const { code, stdout } = await run('leaderboard', 'create', 'yearly', ...settings);
  expect(code).toBe(0);
  const times = ['seasonStartedAt', 'seasonEndsAt', 'createdAt', 'updatedAt'];
  const dates = times.map((time) => new RegExp(`^${time} +(\\S+)$`, 'm').exec(stdout)?.[1] ?? time);
  for (const date of dates) expect(date).toMatch(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(stdout).not.toMatch(/\d{13}/);
  const asJson = Object(await json('leaderboard', 'update', 'yearly', ...settings));
  const [started, ends] = times.map((time) => asJson[time]);
  expect([started, ends]).toEqual(dates.slice(0, 2).map((date) => Date.parse(date)));
});

test.each([
  [['create', 'Weekly'], /lowercase letters, digits and single hyphens/],
  [['create', 'weekly', '--schedule', 'fridays'], /cron expression of five fields/],
  [['create', 'weekly', '--time-zone', 'UTC'], /--time-zone requires --schedule/],
  [['create', 'weekly', '--keep', 'worst'], /Allowed choices are best, latest, sum, count/],
  [['show', 'weekly', '--season', '3'], /no leaderboard with this name/],
  [['show', '--around', 'ada'], /around/],
  [['update', 'weekly', '--keep-seasons', 'some'], /must be a number or all/],
])('gantry leaderboard %j explains the error', async (args, words) => {
  const { code, stderr } = await run('leaderboard', ...args, '--game', 'one');
  expect(code).toBe(1);
  expect(stderr).toMatch(words);
});
