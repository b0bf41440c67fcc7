import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordActivity } from '../../src/features/activities/commands.ts';
import { setScore } from '../../src/features/scores/commands.ts';
import { randomWallet, startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { launchBrowser, noBrowser } from './browser.ts';
import { openConsole } from './operator.ts';

const rowCount = 5_000;
const eventsASecond = 200;
const tailSeconds = 10;

describe.skipIf(noBrowser !== null)('the console under load', () => {
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    server = await startTestServer();
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  test('a table of 5,000 rows is scrolled to its end with few of them in the document', async () => {
    const { gameId } = await server.createGame({ name: 'Crowded', slug: 'crowded' });
    const { db } = server.services;
    await Promise.all(
      Array.from({ length: rowCount }, (_, index) =>
        db.write(setScore, { gameId, wallet: randomWallet() }, index),
      ),
    );
    const watched = await openConsole(browser, server, 'games/crowded/leaderboard');
    const { page } = watched;
    await watchLongTasks(page);
    const table = page.getByRole('region', { name: 'Leaderboard of Crowded' });
    await table.getByRole('row').nth(1).waitFor();
    const startedAt = Date.now();
    await until('the last row is loaded', async () => {
      await table.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
      return (await page.getByText('5,000 rows', { exact: true }).count()) === 1;
    });
    await table.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
    await table.getByRole('cell', { name: '5,000', exact: true }).waitFor();
    const scrolledMs = Date.now() - startedAt;
    expect(await table.getByRole('row').count()).toBeLessThan(100);
    await table.evaluate((element) => element.scrollTo({ top: 0 }));
    await table.getByRole('row', { name: /^1 / }).waitFor();
    report(`5,000 rows loaded and scrolled through in ${scrolledMs} ms`, await longTasks(page));
    expect(watched.complaints).toEqual([]);
    await page.context().close();
  });

  test('200 events a second are followed while the page stays responsive', async () => {
    const { gameId } = await server.createGame({ name: 'Busy', slug: 'busy' });
    const { wallet } = await server.openSession(gameId);
    const watched = await openConsole(browser, server, 'games/busy/events');
    const { page } = watched;
    await page.getByText('Live', { exact: true }).waitFor();
    await watchLongTasks(page);
    const load = sendEvents(server, { gameId, wallet }, eventsASecond * tailSeconds);
    const answeredMs: number[] = [];
    const press = async (name: string, shown: string) => {
      const pressedAt = Date.now();
      await page.getByRole('button', { name, exact: true }).click();
      await page.getByText(shown, { exact: true }).waitFor();
      answeredMs.push(Date.now() - pressedAt);
    };
    while (!load.isOver()) {
      await press('Pause', 'Paused');
      await page.getByRole('button', { name: /Show .* new events?/ }).waitFor();
      await press('Resume', 'Live');
    }
    await load.done;
    await page
      .getByRole('row', { name: new RegExp(`label: number ${eventsASecond * tailSeconds - 1} `) })
      .waitFor();
    report(
      `${eventsASecond * tailSeconds} events in ${tailSeconds} s; the slowest of ${answeredMs.length} presses took ${Math.max(...answeredMs)} ms`,
      await longTasks(page),
    );
    expect(await page.getByRole('row').count()).toBeLessThan(100);
    expect(watched.complaints).toEqual([]);
    await page.context().close();
  });
});

/** Events at a constant rate, as games would cause them. */
function sendEvents(
  { services }: TestServer,
  owner: { gameId: string; wallet: string },
  count: number,
): { done: Promise<void>; isOver(): boolean } {
  let sent = 0;
  const send = async () => {
    const startedAt = Date.now();
    while (sent < count) {
      const due = Math.min(count, Math.ceil(((Date.now() - startedAt) / 1_000) * eventsASecond));
      const some = Array.from({ length: due - sent }, (_, index) =>
        services.db.write(recordActivity, owner, { label: `number ${sent + index}`, eventId: 'load' }),
      );
      sent = due;
      await Promise.all(some);
      await pause(20); // the rate is under test, this does not wait for a condition
    }
  };
  return { done: send(), isOver: () => sent >= count };
}

async function watchLongTasks(page: Page): Promise<void> {
  await page.evaluate(() => {
    const seen: number[] = [];
    Reflect.set(globalThis, 'longTasks', seen);
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) seen.push(Math.round(duration));
    }).observe({ type: 'longtask' });
  });
}

function longTasks(page: Page): Promise<number[]> {
  return page.evaluate(() => Reflect.get(globalThis, 'longTasks') as number[]);
}

function report(what: string, tasks: readonly number[]): void {
  const long = tasks.filter((duration) => duration > 200);
  process.stdout.write(
    `console: ${what}; long tasks over 200 ms: ${long.length === 0 ? 'none' : long.map((ms) => `${ms} ms`).join(', ')} (longest of all: ${Math.max(0, ...tasks)} ms)\n`,
  );
}
