import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

// The headless shell is the same browser without a window, which would account for a third of the page tests' time.
const places = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const executablePath = process.env.CHROMIUM ?? places.find(existsSync) ?? '/usr/bin/chromium';

/** Why tests that need a browser cannot run here; null when they can. */
export const noBrowser = existsSync(executablePath)
  ? null
  : `no Chromium at ${executablePath}: apt-get install chromium-headless-shell or chromium, or name another one in CHROMIUM`;

if (noBrowser !== null) process.stderr.write(`The tests of the pages are skipped: ${noBrowser}\n`);

let shared: Promise<Browser> | undefined;

/**
 * A browser for the tests of a file: `close` closes everything that was opened in it. It is launched once for all files
 * of a process, which run one after another, because that takes as long as a short test; the process ends it.
 */
export function launchBrowser(): Promise<Browser> {
  shared ??= launchOwnBrowser().then((browser) => {
    browser.once('disconnected', () => {
      shared = undefined;
    });
    browser.close = async () => {
      await Promise.all(browser.contexts().map((context) => context.close()));
    };
    return browser;
  });
  return shared;
}

/** A browser that `close` ends: for programs, and for tests that use several at once. */
export function launchOwnBrowser(...more: string[]): Promise<Browser> {
  // Without the process that emulates a graphics card.
  const args = ['--no-sandbox', '--disable-gpu', '--in-process-gpu', ...more];
  return chromium.launch({ executablePath, args });
}

/** A page, and everything it reported: errors, policy violations, failed loads. */
export interface WatchedPage {
  page: Page;
  complaints: string[];
}

export const desktop: BrowserContextOptions = { viewport: { width: 1280, height: 800 } };
export const phone: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
};

/** Opens a page in a separate context: separate storage, and thus another player. */
export async function openPage(
  browser: Browser,
  options: BrowserContextOptions = desktop,
): Promise<WatchedPage> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(120_000); // as long as `until` waits
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`));
  page.on('console', (message) => {
    const text = message.text();
    // While the server is down, browsers log each attempt to reach it, which is not a fault of the page.
    if (/net::ERR_(CONNECTION_REFUSED|CONNECTION_RESET|SOCKET_NOT_CONNECTED|EMPTY_RESPONSE)/.test(text))
      return;
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(`console: ${text}`);
  });
  // In frames too, and as structured as the browser reports it.
  await context.exposeBinding('reportViolation', (_source, violation: string) => {
    complaints.push(`policy: ${violation}`);
  });
  await context.addInitScript(() => {
    addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, documentURI }) => {
      const report: unknown = Reflect.get(globalThis, 'reportViolation');
      if (typeof report === 'function') report(`${violatedDirective} ${blockedURI} on ${documentURI}`);
    });
  });
  return { page, complaints };
}
