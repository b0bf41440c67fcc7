import type { WebSocketRoute } from 'playwright-core';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { freePort } from '../support/free-port.ts';
import { serveGantry } from '../support/gantry-process.ts';
import { post } from '../support/http.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { launchBrowser, noBrowser, openPage } from './browser.ts';
import {
  bubbles,
  type PlayerAtLauncher,
  playDemoGame,
  playDemoGameOn,
  say,
  startConversation,
} from './players.ts';

const anAnswer = z.looseObject({ _id: z.string() });

test.skipIf(noBrowser !== null)(
  'the server is killed, runs elsewhere for a while, is killed again and returns: both pages have missed nothing',
  async () => {
    await using directory = await temporaryDirectory();
    const port = String(await freePort());
    await using browser = await launchBrowser();
    const first = await serveGantry(directory.path, { PORT: port });
    const [ada, grace] = await Promise.all([
      playDemoGame(browser, first.url),
      playDemoGame(browser, first.url),
    ]);
    await startConversation(ada, grace.wallet);
    await say(ada, 'Before');
    await grace.page.getByRole('tab', { name: /Messages/ }).click();
    await grace.page.getByRole('button', { name: /Before/ }).click();
    await until('Grace has read it', async () => (await bubbles(grace)).length === 1);

    await first.end('SIGKILL');
    for (const player of [ada, grace]) await stateIs(player, 'reconnecting');
    // On another port no page is connected: all of this is missed.
    const [token, graceToken] = [await gameTokenOf(ada), await gameTokenOf(grace)];
    {
      await using elsewhere = await serveGantry(directory.path);
      const call = (path: string, body: object) => post(`${elsewhere.url}/launcher/${path}`, body);
      const channels = await call('get-message-channels', { launcherJwt: token });
      const [channel] = z.looseObject({ data: z.array(anAnswer) }).parse(channels.body).data;
      const channelId = channel?._id;
      const sent = await call('send-channel-message', { launcherJwt: token, channelId, content: 'Onee' });
      const messageId = anAnswer.parse(sent.body)._id;
      await call('edit-channel-message', { launcherJwt: token, messageId, newContent: 'One' });
      await call('send-channel-message', { launcherJwt: token, channelId, content: 'Two' });
      await call('set-user-score', { launcherJwt: token, score: 4321 });
      await call('send-custom-activity', {
        launcherJwt: token,
        label: '{username} found a door',
        eventId: 'door',
      });
      await call('send-notification', { launcherJwt: graceToken, message: 'A hat, Grace', type: 'success' });
      await elsewhere.end('SIGKILL');
    }

    // Pending writes wait for the connection.
    await say(ada, 'Still there?');
    await ada.page.getByText('Waiting for the connection…').waitFor();
    await using _again = await serveGantry(directory.path, { PORT: port });
    const [byAda, byGrace] = await Promise.all([caughtUp(ada), caughtUp(grace)]);
    // To Grace: sent, edited, sent, an activity and a notification; and Ada's pending message, if her page reconnected
    // first.
    expect(byGrace).toMatch(/^Caught up: [56] missed events replayed$/);
    expect(byAda).toMatch(/^Caught up: \d missed events replayed$/);
    const said = ['Before', 'One', 'Two', 'Still there?'];
    const retry = ada.page.getByRole('button', { name: 'Retry' });
    await until('both have all of it, once', async () => {
      // Calls wait for 15 s, which is sometimes less than a busy machine takes to start the server.
      if (await retry.isVisible()) await retry.click();
      const shown = await Promise.all([bubbles(ada), bubbles(grace)]);
      return shown.every((texts) => texts.join() === said.join());
    });
    await grace.page.locator('.toast').filter({ hasText: 'A hat, Grace' }).waitFor();
    for (const { page } of [ada, grace]) {
      await page.getByRole('tab', { name: 'Leaderboard' }).click();
      await page.locator('.board-row').filter({ hasText: '4,321' }).waitFor();
      await page.getByRole('tab', { name: 'Activity' }).click();
      expect(await page.getByText('found a door').count()).toBe(1);
    }
    for (const player of [ada, grace]) await stateIs(player, 'live');
    expect([...ada.complaints, ...grace.complaints]).toEqual([]);
  },
);

test.skipIf(noBrowser !== null)(
  'a page whose missed events arrive slowly says how many there were, once it has them',
  async () => {
    await using directory = await temporaryDirectory();
    await using server = await serveGantry(directory.path, { PORT: '0' });
    await using browser = await launchBrowser();
    const watched = await openPage(browser);
    const { page } = watched;
    await page.clock.install();
    /** What passes a message of the server on; null: there is no network. */
    let network: ((message: string, pass: () => void) => void) | null = (_message, pass) => pass();
    const ends: WebSocketRoute[] = [];
    await page.routeWebSocket(/socket\.io/, (socket) => {
      if (network === null) return void socket.close();
      const upstream = socket.connectToServer();
      ends.push(socket, upstream);
      upstream.onMessage((message) => network?.(String(message), () => socket.send(message)));
    });
    const ada = await playDemoGameOn(watched, server.url);
    const token = await gameTokenOf(ada);
    network = null;
    await Promise.all(ends.map((end) => end.close()));
    await stateIs(ada, 'reconnecting');
    for (const message of ['One', 'Two', 'Three']) {
      await post(`${server.url}/launcher/send-notification`, {
        launcherJwt: token,
        message,
        type: 'success',
      });
    }
    const slow: { message: string; pass(): void }[] = [];
    let isSlow = true;
    network = (message, pass) => {
      if (isSlow && /^42\["(?!realtime-events connected)/.test(message)) slow.push({ message, pass });
      else pass();
    };
    await until('the events are on the way', () => slow.some(({ message }) => message.includes('Three')));
    await stateIs(ada, 'catching-up');
    await page.clock.fastForward(5_000);
    expect(await ada.connection.getAttribute('title')).toBe('Catching up');
    isSlow = false;
    for (const { pass } of slow) pass();
    expect(await caughtUp(ada)).toBe('Caught up: 3 missed events replayed');
  },
);

async function stateIs({ connection }: PlayerAtLauncher, state: string): Promise<void> {
  await until(`the badge says ${state}`, async () => (await connection.getAttribute('data-state')) === state);
}

/** What the badge says once the page has caught up, for a few seconds. */
function caughtUp({ connection }: PlayerAtLauncher): Promise<string> {
  return until('the badge says that the page has caught up', async () => {
    const text = await connection.getAttribute('title');
    return text?.startsWith('Caught up') ? text : null;
  });
}

async function gameTokenOf({ page }: PlayerAtLauncher): Promise<string> {
  const kept = await page.evaluate(() => sessionStorage.getItem('gantry-play-game'));
  return z.object({ launcherJwt: z.string() }).parse(JSON.parse(kept ?? 'null')).launcherJwt;
}
