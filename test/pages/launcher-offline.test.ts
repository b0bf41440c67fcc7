import { describe, expect, test } from 'vitest';
import { setProfile } from '../../src/features/players/commands.ts';
import { befriend } from '../support/befriend.ts';
import { post } from '../support/http.ts';
import { connectLauncher } from '../support/launcher.ts';
import { until } from '../support/until.ts';
import { bearer } from '../support/world.ts';
import { noBrowser } from './browser.ts';
import { useDemoInBrowser } from './demo-in-browser.ts';
import { signedInAs, startConversation } from './players.ts';

const hourMs = 60 * 60 * 1000;

describe.skipIf(noBrowser !== null)('the launcher without a connection', () => {
  const demo = useDemoInBrowser((complaint) => complaint.includes('WebSocket connection'));

  /** A guest in the library, whose connection can be cut, and whose calls of presence can be held up after that. */
  async function signIn() {
    const watched = await demo.open();
    const { page } = watched;
    let isCut = false;
    let cut = () => {};
    let held: (() => void)[] | null = null;
    await page.route(/socket\.io/, (route) => (isCut ? route.abort() : route.continue()));
    await page.routeWebSocket(/socket\.io/, (socket) => {
      if (isCut) return void socket.close();
      const toServer = socket.connectToServer();
      cut = () => {
        socket.close();
        toServer.close();
      };
      socket.onMessage((message) => {
        const isHeld = /"(followPresence|followGameStats|getChannelParticipants)"/.test(String(message));
        if (held && isHeld) held.push(() => toServer.send(message));
        else toServer.send(message);
      });
    });
    await page.goto(`${demo.server.url}/play`);
    await page.getByRole('button', { name: 'Play as a guest' }).click();
    await page.getByText('No friends yet').waitFor();
    const { address: wallet } = await signedInAs(page);
    return {
      page,
      wallet,
      goOffline() {
        isCut = true;
        cut();
      },
      /** Connects again; what is asked of others' presence does not reach the server until `answer`. */
      goOnline() {
        held = [];
        isCut = false;
      },
      answer() {
        for (const pass of held?.splice(0) ?? []) pass();
        held = null;
      },
    };
  }

  test('shows no presence of others until it has been read again, and then what has changed meanwhile', async () => {
    const { db } = demo.server.services;
    const { page, wallet, goOffline, goOnline, answer } = await signIn();
    const friends = await Promise.all(
      ['Grace H', 'Dorothy V'].map(() => demo.server.openSession(demo.gameId)),
    );
    const [grace, dorothy] = friends;
    if (!grace || !dorothy) throw new Error('they have signed in');
    await db.write(setProfile, grace.wallet, { username: 'Grace H' });
    await db.write(setProfile, dorothy.wallet, { username: 'Dorothy V' });
    const graceAtGame = await connectLauncher(demo.server.url, { launcherJwt: grace.launcherJwt });
    using _dorothyAtGame = await connectLauncher(demo.server.url, { launcherJwt: dorothy.launcherJwt });
    for (const one of friends) await befriend(db, demo.gameId, one.wallet, wallet);

    const rowOf = (name: string) => page.locator('.friend', { has: page.getByText(name, { exact: true }) });
    const seen = async () => ({
      dots: await page.locator('.dot').count(),
      grace: await rowOf('Grace H').locator('.friend-text').innerText(),
      dorothy: await rowOf('Dorothy V').locator('.friend-text').innerText(),
      playing: await page.locator('.playing').allInnerTexts(),
    });
    const both = {
      dots: 3,
      grace: 'Grace H\nDemo Game',
      dorothy: 'Dorothy V\nDemo Game',
      playing: ['2 playing'],
    };
    await expect.poll(seen).toEqual(both);

    await page.getByRole('button', { name: 'About Demo Game' }).click();
    const players = page.getByText('Players now').locator('..');
    await players.getByText('2', { exact: true }).waitFor();
    goOffline();
    await players.getByText('Unknown').waitFor();
    await page.keyboard.press('Escape');
    const unknown = {
      dots: 0,
      grace: 'Grace H\nStatus unknown',
      dorothy: 'Dorothy V\nStatus unknown',
      playing: [],
    };
    await expect.poll(seen).toEqual(unknown);
    await page.getByRole('heading', { name: 'Friends 2' }).waitFor();
    expect(await page.getByRole('heading', { name: /Online|Offline/ }).count()).toBe(0);
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/friends unknown.png` });
    await page.getByRole('button', { name: 'More about Grace H' }).click();
    const dialog = page.getByRole('dialog', { name: 'Grace H' });
    await dialog.getByText('Status unknown').waitFor();
    expect(await dialog.locator('.dot').count()).toBe(0);
    await page.keyboard.press('Escape');

    graceAtGame.socket.disconnect();
    await until(
      'Grace is away',
      async () => !(await demo.server.services.presence.isPresent(grace.sessionId)),
    );
    goOnline();
    await page.locator('.connection', { hasText: /Live|Caught up/ }).waitFor();
    expect(await seen()).toEqual({ ...unknown, dots: 1 }); // the player's own
    answer();
    await expect.poll(seen).toEqual({ ...both, grace: 'Grace H\nOffline', playing: ['1 playing'] });
  });

  test('a conversation outside of games follows who is online, also after a reconnect', async () => {
    const { page, goOffline, goOnline, answer } = await signIn();
    const other = await demo.open();
    await other.page.goto(`${demo.server.url}/play`);
    await other.page.getByRole('button', { name: 'Play as a guest' }).click();
    await other.page.getByText('No friends yet').waitFor();
    const { address } = await signedInAs(other.page);
    await startConversation({ page }, address);
    const title = page.locator('.conversation-title');
    await title.getByText('Online', { exact: true }).waitFor();
    goOffline();
    await title.getByText('You are offline').waitFor();
    await other.page.close();
    goOnline();
    await page.locator('.connection', { hasText: /Live|Caught up/ }).waitFor();
    expect(await title.innerText()).not.toMatch(/online|offline/i);
    expect(await title.locator('.dot').count()).toBe(0);
    answer();
    await title.getByText('Offline', { exact: true }).waitFor();
  });

  test("the dialog of a game shows what became of the game's events meanwhile", async () => {
    const { gameId } = await demo.server.createGame({ name: 'Airship', slug: 'airship' });
    const { page, goOffline, goOnline, answer } = await signIn();
    await page.reload();
    const plan = (key: string) =>
      post(
        `${demo.server.url}/admin/create-event`,
        { gameId, key, startsAt: Date.now() + hourMs, endsAt: Date.now() + 2 * hourMs },
        bearer(demo.server.adminToken),
      );
    await plan('fog');
    await page.getByRole('button', { name: 'About Airship' }).press('Enter');
    const about = page.getByRole('dialog', { name: 'Airship' });
    await about.getByText('fog').waitFor();
    goOffline();
    await page.getByText('Reconnecting').first().waitFor();
    await plan('rain');
    goOnline();
    answer();
    await about.getByText('rain').waitFor();
  });
});
