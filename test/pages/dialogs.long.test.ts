import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.ts';
import { launchBrowser, noBrowser, phone } from './browser.ts';
import { inspector } from './pictures/camera.ts';
import { takeDialogs } from './pictures/dialogs.ts';
import { takeLauncher } from './pictures/launcher.ts';
import { fillServer, type SampleWorld } from './pictures/sample-world.ts';

// On a phone, where there is the least room; `screenshots.ts --check` does the same with all views at every width.
describe.skipIf(noBrowser !== null)('on a phone, in light and dark,', () => {
  let server: TestServer;
  let browser: Browser;
  let world: SampleWorld;
  beforeAll(async () => {
    server = await startTestServer();
    world = await fillServer(server);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  test.each([
    ['the launcher from signing in to a ban', takeLauncher],
    ["the console's dialogs", takeDialogs],
  ])('%s: nothing that axe finds, nothing cut off, overlapping or too small', async (_name, take) => {
    const found: (readonly [view: string, issues: readonly string[]])[] = [];
    const scene = { width: '390', options: phone, server, browser, world, busy: Promise.resolve() };
    await take(inspector(scene, (view, issues) => found.push([view, issues])));
    await Promise.all(browser.contexts().map((context) => context.close()));
    expect(found).toEqual([]);
  });
});
