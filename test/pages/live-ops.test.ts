import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { post } from '../support/http.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { bearer } from '../support/world.ts';
import { desktop, launchBrowser, noBrowser, phone, type WatchedPage } from './browser.ts';
import { issuesInBothSchemes } from './color-scheme.ts';
import { hasLoaded, openConsole, showView, writeOver } from './operator.ts';

const screens: Readonly<Record<string, BrowserContextOptions>> = {
  '390': phone,
  '1024': { ...desktop, viewport: { width: 1024, height: 768 } },
  '1440': { ...desktop, viewport: { width: 1440, height: 900 } },
};
const hourMs = 60 * 60_000;
const draft = z.object({ item: z.looseObject({ newsId: z.string() }) });
const listedNews = z.object({ items: z.array(z.looseObject({ newsId: z.string() })) });

describe.skipIf(noBrowser !== null)('live-ops in the console', () => {
  let server: TestServer;
  let browser: Browser;
  let gameId: string;
  let watched: WatchedPage;
  let page: Page;
  const admin = async (path: string, body: object) =>
    (await post(`${server.url}/admin/${path}`, body, bearer(server.adminToken))).body;
  const call = async (path: string, body: object) =>
    (await post(`${server.url}/launcher/${path}`, body)).body;
  const press = (name: string | RegExp) => page.getByRole('button', { name }).first().click();
  const show = (part: string) => showView(page, `games/orbit/live-ops/${part}`);
  const picture = async (name: string) => {
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/${name}.png` });
  };
  /** What the browser itself reports of refused calls. */
  const expectRefusals = (count: number) => {
    const told = watched.complaints.splice(0);
    expect(told).toEqual(Array.from({ length: count }, () => expect.stringContaining('status of 4')));
  };
  /** The value of a `datetime-local` field, in the browser's time zone. */
  const localText = (at: number) =>
    page.evaluate(
      (ms) => new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16),
      at,
    );

  beforeAll(async () => {
    server = await startTestServer();
    browser = await launchBrowser();
    ({ gameId } = await server.createGame({ name: 'Orbit', slug: 'orbit' }));
    watched = await openConsole(browser, server, 'games/orbit', screens['1440']);
    page = watched.page;
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  test('news are written with a preview, scheduled, published, pinned and removed', async () => {
    // The game's own, which is not there at once, and not that of all games.
    const tabs = page.getByRole('navigation', { name: 'Orbit tabs' });
    await tabs.getByRole('link', { name: 'Live-ops' }).click();
    await page.getByRole('link', { name: 'News', exact: true }).click();
    await page.getByText('No news').waitFor();
    await press('New news item');
    const form = page.getByRole('dialog');
    await form.getByLabel('Title').fill('Summer cup');
    await form
      .getByLabel('Text', { exact: true })
      .fill('**Join** [here](https://orbit.example) <script>1</script>');
    await form.getByRole('button', { name: 'Preview' }).click();
    await form.locator('.markdown strong', { hasText: 'Join' }).waitFor();
    await form.getByText('<script>1</script>').waitFor();
    await picture('news preview');
    await form.getByLabel('Image').fill('orbit');
    await form.getByLabel('Publish', { exact: true }).selectOption('At a time');
    const at = Date.now() + 2 * hourMs;
    await form.getByLabel('Publish at').fill(await localText(at));
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText(/^Must be an http/).waitFor();
    expectRefusals(1);
    await form.getByLabel('Image').fill('/demo-game/cover.svg');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /^Summer cup scheduled/ }).waitFor();
    const { items } = listedNews.parse(await admin('list-news-items', { gameId }));
    expect(items[0]).toMatchObject({ title: 'Summer cup', publishAt: at - (at % 60_000), expiresAt: null });

    await press('Edit Summer cup');
    await form.getByLabel('Publish', { exact: true }).selectOption('Now');
    await form.getByLabel('Pinned').check();
    await form.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('row', { name: /^pinned Summer cup published/ }).waitFor();
    expect(await call('list-news', { gameId })).toMatchObject({
      news: [{ title: 'Summer cup', pinned: true }],
    });

    await press('Edit Summer cup');
    await admin('update-news', { newsId: items[0]?.newsId, title: 'Summer cup 2' });
    await form.getByLabel('Title').fill('Winter cup');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByRole('alert').waitFor();
    expectRefusals(1);
    await form.getByRole('button', { name: 'Cancel' }).click();
    await press('Edit Summer cup 2');
    await form.getByLabel('Title').fill('Winter cup');
    await form.getByRole('button', { name: 'Save' }).click();
    await press('Remove Winter cup');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No news').waitFor();
    expect(await admin('list-news-items', { gameId })).toMatchObject({ items: [] });
    expectRefusals(0);
  });

  test('a form whose saving got no response says that it may have been saved', async () => {
    await show('news');
    await page.route('**/admin/publish-news', async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });
    await press('New news item');
    const form = page.getByRole('dialog');
    await form.getByLabel('Title').fill('Once');
    await form.getByRole('button', { name: 'Publish' }).click();
    await form.getByText('What you sent may have been saved all the same').waitFor();
    await page.unroute('**/admin/publish-news');
    await form.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('row', { name: /Once/ }).waitFor();
    const { items } = listedNews.parse(await admin('list-news-items', { gameId }));
    for (const { newsId } of items) await admin('remove-news', { newsId });
    expectRefusals(0);
  });

  test('a draft that someone else publishes meanwhile says so, although its time is not in the form', async () => {
    const { item } = draft.parse(
      await admin('publish-news', { gameId, title: 'Finals', publishAt: null, body: 'Soon' }),
    );
    await show('news');
    await press('Edit Finals');
    await admin('update-news', { newsId: item.newsId, publishAt: 0 });
    const form = page.getByRole('dialog');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByRole('alert').filter({ hasText: 'Someone else has changed this meanwhile' }).waitFor();
    await form.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('row', { name: /^Finals published/ }).waitFor();
    expectRefusals(1);

    await press('Edit Finals');
    await admin('update-news', { newsId: item.newsId, body: 'By someone else' });
    await form.getByRole('textbox', { name: 'Text' }).fill('Long and written for an hour');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByRole('alert').filter({ hasText: 'Someone else has changed this meanwhile' }).waitFor();
    expect(await admin('list-news-items', { gameId, status: 'published' })).toMatchObject({
      items: [{ body: 'By someone else' }],
    });
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    expect(await admin('list-news-items', { gameId, status: 'published' })).toMatchObject({
      items: [{ body: 'Long and written for an hour' }],
    });
    expectRefusals(1);

    const soon = { gameId, title: 'Replay', publishAt: Date.now() + 3_000 };
    await admin('publish-news', soon);
    await show('news');
    await press('Edit Replay');
    await form.getByLabel('Publish', { exact: true }).selectOption('Keep as a draft');
    await until('publication', async () =>
      JSON.stringify(await call('list-news', { gameId })).includes('Replay'),
    );
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByRole('alert').filter({ hasText: 'the item is published already' }).waitFor();
    await form.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('row', { name: /^Replay published/ }).waitFor();
    expectRefusals(1);
  });

  test('what was typed in a dialog is still there after the back button, and Escape does not discard it', async () => {
    const form = page.getByRole('dialog');
    const forms = [
      ['games/orbit/live-ops/news', 'New news item', 'Title', 'Half typed'],
      ['games/orbit/live-ops/releases', 'New release', 'Version', '4.5'],
      ['games/orbit/live-ops/calendar', 'New event', 'Data (JSON object)', '{"bonus": 2}'],
      ['games/orbit/live-ops/maintenance', 'Plan or start', 'Message to players', 'Half typed'],
      ['games/orbit/webhooks', 'New webhook', 'URL', 'https://half'],
      ['games/orbit/leaderboard', 'New leaderboard', 'Name', 'half-typed'],
      ['games', 'New game', 'Name', 'Half typed'],
    ] as const;
    const back = { name: 'Overview', exact: true, level: 1 } as const;
    for (const [view, button, field, text] of forms) {
      await showView(page, '');
      await page.getByRole('heading', back).waitFor();
      await page.evaluate((address) => {
        location.hash = address;
      }, `#/${view}`);
      await press(button);
      await form.getByLabel(field).fill(text);
      await page.keyboard.press('Escape');
      expect([view, await form.count()]).toEqual([view, 1]);
      await page.goBack();
      await page.getByRole('heading', back).waitFor();
      expect(await form.count()).toBe(0);
      await page.goForward();
      if (view !== 'games') await page.getByText(', unsaved changes').waitFor({ state: 'attached' });
      await press(button);
      expect([view, await form.getByLabel(field).inputValue()]).toEqual([view, text]);
      await form.getByRole('button', { name: 'Cancel' }).click();
      await press(button);
      expect(await form.getByLabel(field).inputValue()).not.toBe(text);
      await page.keyboard.press('Escape');
      await form.waitFor({ state: 'detached' });
    }
    expect(await page.getByText(', unsaved changes').count()).toBe(0);
  });

  test('several keys of a config are saved after a diff; another editor is noticed, and a version is rolled back', async () => {
    await show('config');
    const editor = page.getByLabel(/^Config \(JSON by key\)/);
    await editor.waitFor();
    await writeOver(editor, '{"xp":{"value":1},"secret":{"value":"s","public":false}}');
    await press('Review and save');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('{"value":"s","public":false,"rules":[]}').waitFor();
    await dialog.getByLabel('Comment').fill('Launch');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /^1 .*secret, xp Launch/ }).waitFor();
    expect(await admin('read-config', { gameId })).toMatchObject({
      version: 1,
      entries: [
        { key: 'secret', value: 's', public: false, rules: [] },
        { key: 'xp', value: 1, public: true, rules: [] },
      ],
    });

    await writeOver(editor, '{"xp":{"value":2,"pubic":false}}');
    await page.getByText('xp: has an unknown field, pubic; the fields are value, public, rules').waitFor();
    expect(await page.getByRole('button', { name: 'Review and save' }).isDisabled()).toBe(true);
    await writeOver(editor, '{"seed":{"value":[1200000000000000000000,1.5,-0,76561198012345679]}}');
    await page.getByText('76561198012345679 would be rounded: write it as a string').waitFor();
    expect(await page.getByRole('button', { name: 'Review and save' }).isDisabled()).toBe(true);
    await writeOver(editor, '{"xp":{"value":2,"rules":[{"value":3}]}}');
    await press('Review and save');
    await dialog.getByText('removed').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText(/^xp\.rules\.0: must have a condition/).waitFor();
    await picture('config refused');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await writeOver(editor, '{"xp":{"value":2}}');
    await admin('set-config', { gameId, ifVersion: 1, changes: [{ key: 'xp', value: 9 }] });
    await press('Review and save');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Version 2 was saved in the meantime.').waitFor();
    await page.getByText('{"value":9,"public":true,"rules":[]}').first().waitFor();
    await picture('config conflict');
    expectRefusals(2);
    await press('Load version 2');
    await dialog.getByRole('button', { name: 'Load' }).click();

    await press('Show version 1');
    await dialog.getByText('Changes made by rolling back').waitFor();
    await picture('config version');
    await admin('set-config', { gameId, ifVersion: 2, changes: [{ key: 'xp', value: 10 }] });
    await dialog.getByRole('button', { name: 'Roll back to it' }).click();
    await dialog.getByRole('alert').filter({ hasText: 'the current version is 3' }).waitFor();
    expectRefusals(1);
    await dialog.getByText('{"value":10,"public":true,"rules":[]}').waitFor();
    await dialog.getByRole('button', { name: 'Roll back to it' }).click();
    await page.getByText('rolled back to 1').waitFor();
    expect(await admin('read-config', { gameId })).toMatchObject({
      version: 4,
      entries: [{ key: 'secret' }, { key: 'xp', value: 1 }],
    });
    expectRefusals(0);
  });

  test('a release is published once its version is valid, and removed', async () => {
    await show('releases');
    await press('New release');
    const form = page.getByRole('dialog');
    await form.getByLabel('Version').fill('v1');
    await form.getByLabel('Release notes', { exact: true }).fill('- new maps');
    await form.getByLabel('Required').check();
    await form.getByRole('button', { name: 'Publish' }).click();
    await form.getByText(/^Must be one to four numbers/).waitFor();
    expectRefusals(1);
    await form.getByLabel('Version').fill('1.4.2');
    await form.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('row', { name: /^1\.4\.2 current required/ }).waitFor();
    expect(await call('list-releases', { gameId })).toMatchObject({
      releases: [{ version: '1.4.2', notes: '- new maps', required: true }],
    });
    await press('Show notes of 1.4.2');
    await page.getByRole('dialog').getByRole('listitem').getByText('new maps').waitFor();
    await page.keyboard.press('Escape');
    await press('Remove 1.4.2');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No releases').waitFor();
    expect(await call('list-releases', { gameId })).toMatchObject({ releases: [] });
    expectRefusals(0);
  });

  test('all releases are listed, in steps', async () => {
    for (let build = 1; build <= 301; build++)
      await admin('publish-release', { gameId, version: `0.${build}` });
    await show('releases');
    const shown = page.getByRole('row', { name: /^0\./ });
    for (const count of [50, 100, 150, 200, 250, 300]) {
      await expect.poll(() => shown.count()).toBe(count);
      await press('Show more');
    }
    await page.getByRole('row', { name: /^0\.1 / }).waitFor();
    expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
    for (let build = 1; build <= 301; build++)
      await admin('remove-release', { gameId, version: `0.${build}` });
  });

  test('a recurring event is created once its schedule is valid, shown in its time zone, changed and removed', async () => {
    await show('calendar');
    await press('New event');
    const form = page.getByRole('dialog');
    await form.getByLabel('Key').fill('happy-hour');
    await form.getByLabel('Takes place').selectOption('Repeatedly (cron)');
    await form.getByLabel('Cron expression').fill('every friday');
    await form.getByLabel('Time zone').fill('Asia/Tokyo');
    await form.getByLabel('Not before').fill(await localText(Date.now()));
    await form.getByLabel('Duration in minutes').fill('90');
    await form.getByLabel('Data (JSON object)').fill('{"bonus":2}');
    await form.getByRole('button', { name: 'Create' }).click();
    await form.getByText(/^Must be a cron expression/).waitFor();
    expectRefusals(1);
    await form.getByLabel('Cron expression').fill('0 18 * * 5');
    await form.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('row', { name: /^happy-hour .*18:00 Asia\/Tokyo/ }).waitFor();
    expect(await admin('list-game-events', { gameId })).toMatchObject({
      events: [{ key: 'happy-hour', cron: '0 18 * * 5', durationMs: 90 * 60_000, data: { bonus: 2 } }],
    });
    await picture('calendar');
    await press('Edit happy-hour');
    await admin('update-event', { gameId, key: 'happy-hour', title: 'Rush hour' });
    await form.getByLabel('Title').fill('Happy hour');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByRole('alert').filter({ hasText: 'Someone else has changed this meanwhile' }).waitFor();
    expectRefusals(1);
    expect(await admin('list-game-events', { gameId })).toMatchObject({ events: [{ title: 'Rush hour' }] });
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /^happy-hour Happy hour/ }).waitFor();
    await press('Remove happy-hour');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No events').waitFor();
    expect(await admin('list-game-events', { gameId })).toMatchObject({ events: [] });
    expectRefusals(0);
  });

  test('maintenance is planned, started and ended; meanwhile a banner says so on every page', async () => {
    await show('maintenance');
    await press('Plan or start');
    const form = page.getByRole('dialog');
    await form.getByLabel('Begins', { exact: true }).selectOption('At a time');
    const from = Date.now() + hourMs;
    await form.getByLabel('Begins at').fill(await localText(from));
    await form.getByLabel('Ends at').fill(await localText(from - hourMs / 2));
    await form.getByLabel('Message to players').fill('New maps');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByRole('alert').first().waitFor();
    expectRefusals(1);
    await form.getByLabel('Ends at').fill(await localText(from + hourMs));
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText('planned', { exact: true }).waitFor();
    expect(await call('get-maintenance', { gameId })).toMatchObject({
      maintenance: [{ gameId, from: from - (from % 60_000), message: 'New maps' }],
    });
    const banner = page.locator('.banner', { hasText: 'Maintenance of Orbit' });
    expect(await banner.count()).toBe(0);
    await press('Change');
    await form.getByLabel('Begins', { exact: true }).selectOption('Now');
    await form.getByRole('button', { name: 'Start maintenance' }).click();
    await banner.waitFor();
    await page.getByText('active', { exact: true }).waitFor();
    await picture('maintenance');
    await showView(page, 'games');
    await banner.waitFor();
    await show('maintenance');
    await press('End now');
    await page.getByRole('dialog').getByRole('button', { name: 'End maintenance' }).click();
    await banner.waitFor({ state: 'detached' });
    expect(await call('get-maintenance', { gameId })).toMatchObject({ maintenance: [] });

    await showView(page, 'live-ops/maintenance');
    await press('Plan or start');
    await form.getByRole('button', { name: 'Start maintenance' }).click();
    await page.locator('.banner', { hasText: 'Maintenance of all games' }).waitFor();
    await admin('end-maintenance', {});
    expectRefusals(0);
  });

  test('maintenance that someone else has set meanwhile is replaced only when saved again', async () => {
    await show('maintenance');
    await press('Plan or start');
    const form = page.getByRole('dialog');
    const later = Date.now() + 24 * hourMs;
    const theirs = { gameId, until: Date.now() + hourMs, message: 'Moving the database' };
    await admin('set-maintenance', theirs);
    await form.getByLabel('Begins', { exact: true }).selectOption('At a time');
    await form.getByLabel('Begins at').fill(await localText(later));
    await form.getByLabel('Ends at').fill(await localText(later + hourMs));
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Someone else has changed this meanwhile').waitFor();
    expect(await call('get-maintenance', { gameId })).toMatchObject({ maintenance: [theirs] });
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText('planned', { exact: true }).waitFor();

    // Nor is one that is over set again.
    await press('Change');
    await admin('end-maintenance', { gameId });
    await form.getByLabel('Message to players').fill('New maps');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Someone else has changed this meanwhile').waitFor();
    expect(await call('get-maintenance', { gameId })).toMatchObject({ maintenance: [] });
    await form.getByRole('button', { name: 'Cancel' }).click();
    expectRefusals(0);
  });

  test('maintenance that was planned begins on a page that is open', async () => {
    // Not a page that asks for something of a time: while the clock is being installed, it shows 1970.
    const opened = await openConsole(browser, server, 'games');
    await opened.page.clock.install({ time: Date.now() });
    await showView(opened.page, 'games/orbit/live-ops/maintenance');
    await opened.page.getByText('No maintenance planned').waitFor();
    const from = Date.now() + hourMs;
    await admin('set-maintenance', { gameId, from, until: from + hourMs });
    await opened.page.clock.runFor(20_000);
    await opened.page.getByText('planned', { exact: true }).waitFor(); // by someone else
    await opened.page.clock.fastForward(hourMs);
    await opened.page.getByText('active', { exact: true }).waitFor();
    await opened.page.getByRole('button', { name: 'End now' }).waitFor();
    await admin('end-maintenance', { gameId });
    await opened.page.context().close();
    expect(opened.complaints).toEqual([]);
  });

  test('events and news that begin or end are shown as such on a page that is open', async () => {
    const opened = await openConsole(browser, server, 'games');
    await opened.page.clock.install({ time: Date.now() });
    const at = Date.now() + hourMs;
    const event = { gameId, key: 'eclipse', startsAt: at, endsAt: at + hourMs };
    await admin('create-event', event);
    await showView(opened.page, 'games/orbit/live-ops/calendar');
    const row = opened.page.getByRole('row', { name: /^eclipse/ });
    await row.waitFor();
    await admin('update-event', { ...event, startsAt: at - 2 * hourMs }); // as an hour later
    await opened.page.clock.fastForward(hourMs + 5_000);
    await row.getByText('active', { exact: true }).waitFor();
    await admin('remove-event', { gameId, key: 'eclipse' });

    const publishAt = Date.now() + 3 * hourMs;
    const { item } = draft.parse(await admin('publish-news', { gameId, title: 'Eclipse', publishAt }));
    await showView(opened.page, 'games/orbit/live-ops/news');
    const news = opened.page.getByRole('row', { name: /^Eclipse/ });
    await news.getByText('scheduled', { exact: true }).waitFor();
    await admin('update-news', { newsId: item.newsId, publishAt: 0 });
    await opened.page.clock.fastForward(2 * hourMs);
    await news.getByText('published', { exact: true }).waitFor();
    await admin('remove-news', { newsId: item.newsId });
    await opened.page.context().close();
    expect(opened.complaints).toEqual([]);
  });

  test('long titles and times of other zones leave room for the rest of a row, on a phone too', async () => {
    const event = { startsAt: 0, cron: '0 0 * * *', durationMs: 12 * hourMs, timeZone: 'Pacific/Auckland' };
    await admin('create-event', {
      gameId,
      ...event,
      key: 'k'.repeat(64),
      title: 'The great cup '.repeat(14),
    });
    const url = `https://orbit.example/${'setup'.repeat(9)}`;
    await admin('publish-release', { gameId, version: '2.0', url });
    for (const options of [phone, screens['1440']]) {
      const opened = await openConsole(browser, server, 'games/orbit/live-ops/calendar', {
        ...options,
        timezoneId: 'America/Argentina/Buenos_Aires',
      });
      const row = opened.page.getByRole('row', { name: /kkk/ });
      const edit = row.getByRole('button', { name: /^Edit/ });
      await edit.waitFor();
      const table = opened.page.locator('.table-scroll');
      expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
      const buttons = await edit.boundingBox();
      for (const part of await row.locator('.occurrence').all()) {
        const box = await part.boundingBox();
        expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(buttons?.x ?? 0);
      }
      expect(await row.locator('.occurrence').count()).toBeGreaterThan(0);
      await opened.page.context().close();
    }
    await show('releases');
    const lines = await page.getByText(url).evaluate((shown) => shown.getClientRects().length);
    expect(lines).toBe(1);
    await admin('remove-event', { gameId, key: 'k'.repeat(64) });
    await admin('remove-release', { gameId, version: '2.0' });
  });

  test.each(Object.entries(screens))(
    'at %s pixels axe finds nothing, and nothing is cut off',
    async (width, options) => {
      const opened = await openConsole(browser, server, 'games/orbit', options);
      for (const view of views) {
        await showView(opened.page, view);
        await opened.page.locator('.segments').waitFor();
        await hasLoaded(opened.page);
        const over = () =>
          opened.page.evaluate(
            () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
          );
        const issues = await issuesInBothSchemes(opened.page, async () =>
          expect([view, await over()]).toEqual([view, 0]),
        );
        expect([view, issues]).toEqual([view, { light: [], dark: [] }]);
        if (process.env.PICTURES)
          await opened.page.screenshot({
            path: `${process.env.PICTURES}/${width} ${view.replaceAll('/', '-')}.png`,
            fullPage: true,
          });
      }
      expect(opened.complaints).toEqual([]);
      await opened.page.context().close();
    },
  );
});

const views = [
  ...['config', 'news', 'releases', 'calendar', 'maintenance'].map((part) => `games/orbit/live-ops/${part}`),
  'live-ops/news',
];
