import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { TestServer } from '../../support/server.ts';
import { issuesInBothSchemes, showIn } from '../color-scheme.ts';
import { layoutIssues } from '../layout.ts';
import type { SampleWorld } from './sample-world.ts';

/** Of a long page, the part within this many screens from the top. */
const mostScreens = 3;

/** What screenshots are taken of, at one screen width. */
export interface Scene {
  /** In pixels. */
  width: string;
  options: BrowserContextOptions;
  server: TestServer;
  browser: Browser;
  world: SampleWorld;
  /** Resolves when the charts have something to show. */
  busy: Promise<void>;
}

export interface Camera extends Scene {
  /** Looks at the current page. */
  take(page: Page, name: string): Promise<void>;
}

/** Takes no screenshots, but reports what axe finds in each view, in light and dark, and what measuring finds. */
export function inspector(scene: Scene, report: (view: string, issues: readonly string[]) => void): Camera {
  return {
    ...scene,
    async take(page, name) {
      const { light, dark } = await issuesInBothSchemes(page);
      const issues = [...light, ...dark.map((one) => `in dark, ${one}`), ...(await layoutIssues(page))];
      if (issues.length > 0) report(`${name} at ${scene.width}`, issues);
    },
  };
}

/** Takes screenshots: `<name>-<width>-light.png`, and dark. */
export function cameraInto(directory: string, scene: Scene): Camera {
  return {
    ...scene,
    async take(page, name) {
      for (const scheme of ['light', 'dark'] as const) {
        await showIn(page, scheme);
        const path = join(directory, `${name.replaceAll('/', '-')}-${scene.width}-${scheme}.png`);
        // The backdrop of a dialog covers one screen.
        const isFullPage = (await page.locator('dialog[open]').count()) === 0;
        await page.screenshot({ path, ...(isFullPage && { fullPage: true, clip: await beginningOf(page) }) });
      }
    },
  };
}

function beginningOf(page: Page) {
  return page.evaluate((screens) => {
    const height = Math.min(document.documentElement.scrollHeight, innerHeight * screens);
    return { x: 0, y: 0, width: innerWidth, height };
  }, mostScreens);
}
