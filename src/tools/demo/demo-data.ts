import { createHash } from 'node:crypto';
import type { NewLeaderboard } from '../../features/scores/leaderboard.ts';

export const demoSlug = 'demo-game';
/** The path of the demo game on this server. */
export const demoPage = '/demo-game';
export const launcherSlug = 'launcher';

/** What the launcher shows about the demo game. */
export const demoDetails = {
  description: 'Drop each container onto the one below. Overhanging parts fall into the sea.',
  tags: ['arcade', 'one button'],
};

/** What the launcher's home shows of the demo game, so that it is not empty. */
export const demoNews = {
  title: 'A new cup every week',
  body: 'Every Monday the **weekly leaderboard** begins anew, and the three best of the week before are announced.\n\nNews like this is written in the console, under *Live-ops*.',
};
export const demoRelease = {
  version: '1.0',
  notes: '- Race a friend: *Join* in the list of friends\n- A leaderboard for every week',
  url: '',
  required: false,
};

/** Besides `default`, a weekly leaderboard; the demo game records the number of stacked containers with each score. */
export const demoLeaderboard = {
  name: 'weekly',
  keep: 'best',
  order: 'desc',
  entries: 'player',
  public: true,
  labels: [],
  schedule: { cron: '0 0 * * 1', timeZone: 'UTC' },
  keepSeasons: 52,
} satisfies NewLeaderboard;

/** The demo players; the printed token is for the first one. */
export const demoPlayers = [
  { username: 'Ada', score: 1180, containers: 14 },
  { username: 'Grace', score: 1540, containers: 17 },
  { username: 'Linus', score: 960, containers: 13 },
  { username: 'Margaret', score: 2020, containers: 21 },
  { username: 'Dennis', score: 730, containers: 10 },
].map((player) => ({ ...player, wallet: walletNamed(player.username) }));

/** An address without a known private key. */
function walletNamed(name: string): string {
  return `0x${createHash('sha256').update(`gantry demo ${name}`).digest('hex').slice(0, 40)}`;
}
