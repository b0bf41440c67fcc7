import { hasLoaded, openConsole, showView } from '../operator.ts';
import { consoleViews } from '../views.ts';
import type { Camera } from './camera.ts';

/** Every view of the console, and the pages of a player, a report and a leaderboard. */
export async function takeConsole(camera: Camera): Promise<void> {
  const { browser, options, server, world, busy, take } = camera;
  const { page } = await openConsole(browser, server, '', options);
  const board = 'games/demo-game/leaderboard';
  const player = `players/${world.players[0]?.wallet}`;
  const tabs = ['sessions', 'scores', 'states', 'play-sessions', 'activities', 'messages', 'friends'];
  const table = '.table-card :is(table, .state)';
  for (const [view, shows, name = view] of [
    ...consoleViews,
    [`${board}/weekly`, table],
    [`${board}/weekly/1`, table],
    [`${board}/weekly/seasons`, table],
    [`${board}/daily-cup-of-the-northern-harbours`, table],
    [`${board}/daily-cup-of-the-northern-harbours/seasons`, table],
    [`reports/${world.reportId}`, '#report-context', 'report'],
    [player, '#main table', 'player'],
    ...tabs.map((tab) => [`${player}/${tab}`, '#main :is(table, .state)', `player-${tab}`] as const),
    ['games/untouched/players', '.state'],
    ['games/untouched/leaderboard', '.state'],
    ['games/untouched/webhooks', '.state'],
    ['games/untouched/rules', '.fine'],
    ['games/untouched/messages', '.state'],
    ['games/not-there', '.state'],
    ['nothing-here', '.state'],
    ['players/0x0000000000000000000000000000000000000000', '.state', 'player-unknown'],
  ] as readonly (readonly [string, string, string?])[]) {
    if (view === '') await busy;
    await showView(page, view);
    await page.locator(shows).first().waitFor();
    await hasLoaded(page);
    await take(page, `console-${name || 'overview'}`);
  }
  await page.goto(`${server.url}/console#/games`);
  await page.locator('.game-item').first().waitFor();
  await page.context().setOffline(true);
  await page.goto(`${server.url}/console#/refusals`);
  await page.getByText('Cannot reach the server').first().waitFor();
  await take(page, 'console-offline');
}
