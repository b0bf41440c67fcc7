import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { events, signals } from '../../src/server/declarations/events.ts';
import { listenOn } from '../../src/transports/http/http-server.ts';
import { launchBrowser } from '../pages/browser.ts';
import { repository } from '../support/gantry-process.ts';
import { Driver } from './driver.ts';

const names = JSON.stringify([...Object.keys(events), ...Object.keys(signals)]);

/** Serves files by path, like a page's own server, on a separate origin. */
export async function serveFiles(
  files: Readonly<Record<string, string>>,
): Promise<{ url: string } & AsyncDisposable> {
  const http = createServer(({ url = '/' }, response) => {
    const path = new URL(url, 'http://page').pathname;
    const text = files[path];
    const type = path.endsWith('.js') ? 'text/javascript' : 'text/html';
    // A page in a sandboxed frame has an opaque origin, and so its modules are another's.
    const headers = { 'Content-Type': type, 'Access-Control-Allow-Origin': '*' };
    response.writeHead(text === undefined ? 404 : 200, headers).end(text);
  });
  const url = await listenOn(http, 0, '127.0.0.1');
  return {
    url,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

/** The driver of the TypeScript client in a page of Chromium: the client is the one that the server at `url` serves. */
export async function startChromiumDriver(url: string): Promise<Driver> {
  const core = readFileSync(join(repository, 'test/sdk/drivers/driver-core.ts'), 'utf8');
  const boot = `
    import * as sdk from '${url}/client.js';
    import { makeDriver } from './driver-core.js';
    const putToken = (token) => history.replaceState(null, '', token === null ? '/' : '#token=' + encodeURIComponent(token));
    globalThis.take = makeDriver(sdk, ${names}, putToken, (line) => globalThis.report(JSON.stringify(line)));
  `;
  const files = await serveFiles({
    '/': '<!doctype html><script type="module" src="/boot.js"></script>',
    '/boot.js': boot,
    '/driver-core.js': stripTypeScriptTypes(core),
  });
  const browser = await launchBrowser();
  const page = await browser.newPage();
  const driver = Driver.over({
    send: (line) =>
      void page
        .evaluate((text) => {
          const take: unknown = Reflect.get(globalThis, 'take');
          if (typeof take === 'function') void take(JSON.parse(text));
        }, line)
        .catch(() => undefined), // the page is closed
    async close() {
      await page.close();
      await files[Symbol.asyncDispose]();
    },
  });
  await page.exposeFunction('report', (line: string) => driver.take(line));
  await page.goto(files.url);
  await page.waitForFunction(() => Reflect.has(globalThis, 'take'));
  return driver;
}
