import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findGameBySlug } from '../../src/features/games/queries.ts';
import { replaceRules } from '../../src/features/rules/commands.ts';
import { ruleList } from '../../src/features/rules/rule.ts';
import { issueToken } from '../../src/features/sessions/new-session.ts';
import { liveSessions } from '../../src/features/sessions/queries.ts';
import { seedDemo } from '../../src/tools/demo/seed.ts';
import { apiOf } from '../support/api.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { launchBrowser, noBrowser } from './browser.ts';
import { type PlayerAtLauncher, playDemoGame } from './players.ts';

/** The listener shown on the page "Coming from basement.fun". */
const [, documented = ''] =
  /^```js browser\n(.*?)^```$/ms.exec(
    readFileSync(new URL('../../public/docs/coming-from-basement.md', import.meta.url), 'utf8'),
  ) ?? [];

/** A game of basement.fun's, hosted elsewhere: it listens as its SDK does, and requests a tip. */
const foreignGame = `<!doctype html><title>Foreign</title><ol></ol><script>${documented}</script><script type="module">
  const heard = [];
  addEventListener('message', ({ data }) => {
    if (data?.source !== 'basement') return;
    heard.push(data.payload);
    document.querySelector('ol').append(Object.assign(document.createElement('li'), { textContent: JSON.stringify(data.payload) }));
  });
  parent.postMessage({ type: 'TIP_REQUEST', data: { walletToTip: '0x' + '1'.repeat(40) } }, '*');
  parent.postMessage({ type: 'NO_SUCH_REQUEST' }, '*');
  parent.postMessage({ type: 'something else' }, '*');
  parent.postMessage('TIP_REQUEST', '*');
</script>`;

describe.skipIf(noBrowser !== null)('messages between the launcher and the game in its frame', () => {
  let server: TestServer;
  let browser: Browser;
  let foreign: Server;
  let foreignUrl: string;
  let player: PlayerAtLauncher;
  beforeAll(async () => {
    foreign = createServer((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html' }).end(foreignGame);
    });
    foreign.listen(0, '127.0.0.1');
    await once(foreign, 'listening');
    const address = foreign.address();
    foreignUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`;
    server = await startTestServer();
    await seedDemo(server.services.db, server.box);
    browser = await launchBrowser();
    player = await playDemoGame(browser, server.url);
  });
  afterAll(async () => {
    await browser.close();
    foreign.close();
    await server.close();
  });

  /** Reports a game event as the game itself would, with its session's token. */
  const trigger = async (gameId: string, input: object) => {
    const sessions = await server.services.db.read(liveSessions, player.wallet);
    const details = sessions.find(({ game }) => game.id === gameId);
    if (!details) throw new Error('the player has no session in this game');
    const launcherJwt = await issueToken(details, server.services);
    return apiOf(server).dispatch('triggerRulesEngine', { launcherJwt, ...input });
  };

  test('a message posted by a rule reaches the demo game', async () => {
    const gameId = (await server.services.db.read(findGameBySlug, 'demo-game'))?.id ?? '';
    expect((await trigger(gameId, { trigger: 'win', value: 600 })).body).toMatchObject({
      actions: expect.arrayContaining(['PostWindowMessage']),
    });
    await player.game.getByText('The harbour master waves: 600 points').waitFor();
    expect(player.complaints).toEqual([]);
  });

  test('and a game on another origin, in the form of basement.fun; its requests are answered', async () => {
    const { gameId } = await server.createGame({ name: 'Foreign', slug: 'foreign', url: foreignUrl });
    const actions = [{ type: 'PostWindowMessage', message: 'Said {value}' }];
    await server.services.db.write(replaceRules, gameId, ruleList.parse([{ trigger: 'said', actions }]));
    const logged: string[] = [];
    player.page.on('console', (entry) => logged.push(entry.text()));
    await player.page.goto(`${server.url}/play#foreign`);
    await player.page.reload();
    const items = player.page.frameLocator('iframe').locator('li');
    const received = async (): Promise<Record<string, unknown>[]> =>
      (await items.allTextContents()).map((text) => JSON.parse(text));
    await until('both requests are answered', async () => (await received()).length === 2);
    expect(await received()).toEqual(
      ['TIP_REQUEST', 'NO_SUCH_REQUEST'].map((type) => ({
        callbackType: 'event-callbacks',
        callbackUuid: expect.any(String),
        data: { type, success: false, error: expect.any(String) },
      })),
    );
    await player.page.getByText('The game requested a tip').waitFor();

    await trigger(gameId, { trigger: 'said', value: 'hello' });
    await until('the message', async () => (await received()).length === 3);
    expect((await received()).at(-1)).toMatchObject({
      callbackType: 'rules-engine-all-callbacks',
      callbackUuid: expect.any(String),
      ruleActionType: 'PostWindowMessage',
      data: { message: 'Said hello', gameId, normalizedAddress: player.wallet },
    });

    expect(logged).toContain('posted: Said hello');

    // Messages from anyone but the game in the frame are ignored.
    await player.page.evaluate(() => postMessage({ type: 'TRADE_REQUEST' }, '*'));
    await trigger(gameId, { trigger: 'said', value: 'once more' });
    await until('the next message', async () => (await received()).length === 4);
    expect(await player.page.getByText('requested a trade').count()).toBe(0);
  });

  test("a message of another game's rule reaches none", async () => {
    const { gameId } = await server.createGame();
    const actions = [{ type: 'PostWindowMessage', message: 'of another game' }];
    await server.services.db.write(replaceRules, gameId, ruleList.parse([{ trigger: 'said', actions }]));
    await server.openSession(gameId, player.wallet);
    const items = player.page.frameLocator('iframe').locator('li');
    const before = await items.count();
    await trigger(gameId, { trigger: 'said' });
    const { id } = (await server.services.db.read(findGameBySlug, 'foreign')) ?? { id: '' };
    await trigger(id, { trigger: 'said', value: 'a mark' });
    await items.filter({ hasText: 'a mark' }).waitFor();
    expect(await items.count()).toBe(before + 1);
  });
});
