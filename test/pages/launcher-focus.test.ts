import { describe, expect, test } from 'vitest';
import { setProfile } from '../../src/features/players/commands.ts';
import { befriend } from '../support/befriend.ts';
import { desktop, noBrowser, phone } from './browser.ts';
import { issuesInBothSchemes } from './color-scheme.ts';
import { useDemoInBrowser } from './demo-in-browser.ts';
import { layoutIssues } from './layout.ts';
import { focusedName } from './operator.ts';
import { signedInAs } from './players.ts';

describe.skipIf(noBrowser !== null)('the focus in the launcher', () => {
  const demo = useDemoInBrowser();

  test.each([
    ['1280', desktop, 'Write a message'],
    ['320', { ...phone, viewport: { width: 320, height: 568 } }, 'Messages with Grace H'],
  ])(
    'moves into what is opened, and back when that is closed, whichever way, %s pixels wide',
    async (width, options, inConversation) => {
      const watched = await demo.open(options);
      const { page } = watched;
      await page.goto(`${demo.server.url}/play`);
      await page.getByRole('button', { name: 'Play as a guest' }).press('Enter');
      const play = page.getByRole('button', { name: 'Play Demo Game' });
      await play.waitFor();
      const { db } = demo.server.services;
      const grace = await demo.server.openSession(demo.gameId);
      await db.write(setProfile, grace.wallet, { username: 'Grace H' });
      await befriend(db, demo.gameId, grace.wallet, (await signedInAs(page)).address);
      const focus = (name: string | RegExp) => expect.poll(() => focusedName(page)).toMatch(name);
      const fine = async (name: string) => {
        let scheme = 0;
        const issues = await issuesInBothSchemes(page, async () => {
          const file = `${process.env.PICTURES}/focus ${name} ${width} ${++scheme === 1 ? 'light' : 'dark'}.png`;
          if (process.env.PICTURES) await page.screenshot({ path: file });
        });
        expect([name, issues]).toEqual([name, { light: [], dark: [] }]);
        expect([name, await layoutIssues(page)]).toEqual([name, []]);
      };

      await play.press('Enter');
      await page.getByRole('link', { name: 'All games' }).waitFor();
      await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('MAIN');
      await page.keyboard.press('Tab');
      await focus('All games');
      await page.keyboard.press('Enter');
      await focus('Play Demo Game');
      await page.goBack();
      await page.getByRole('link', { name: 'All games' }).waitFor();
      await page.goBack();
      await focus('Play Demo Game');

      await page.getByRole('tab', { name: /^News/ }).press('Enter');
      await page.getByRole('tab', { name: /^Friends/ }).press('Enter');
      await page.getByRole('button', { name: 'Message Grace H' }).press('Enter');
      await focus(inConversation);
      await page.goBack();
      await focus('Message Grace H');
      await page.goForward();
      await focus(inConversation);
      await fine('conversation');
      await page.getByRole('button', { name: 'Back to all messages' }).press('Enter');
      const entry = page.locator('.conversation-entry');
      const isOnEntry = () => entry.evaluate((one) => one === document.activeElement);
      await entry.waitFor();
      await expect.poll(isOnEntry).toBe(true);
      await page.keyboard.press('Enter');
      await focus(inConversation);
      await page.goBack();
      await expect.poll(isOnEntry).toBe(true);

      // Escape, the close button and Back; and after going forward.
      await page.getByRole('tab', { name: /^Friends/ }).press('Enter');
      for (const name of ['Add friend', 'Privacy', 'More about Grace H', /^Notifications/, /^Account/]) {
        const dialog = page.getByRole('dialog');
        const button = page.getByRole('button', { name });
        for (const close of ['Escape', 'Back', 'Forward']) {
          if (close === 'Forward') await page.goForward();
          else await button.press('Enter');
          await dialog.waitFor();
          await expect.poll(() => page.url()).toContain('?'); // the browser opens menus a moment earlier
          if (close === 'Escape') await fine(`${name}`.replaceAll(/\W/g, ''));
          if (close === 'Back') await page.goBack();
          else await page.keyboard.press('Escape');
          await dialog.waitFor({ state: 'hidden' });
          await focus(name);
        }
      }
      await page.getByRole('button', { name: 'Add friend' }).press('Enter');
      await page.getByRole('dialog').waitFor();
      await page.reload();
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Escape');
      await focus(/^Friends/);
      await page.goBack();
      await page.goBack();
      await expect.poll(() => page.evaluate(() => document.activeElement === document.body)).toBe(false);
    },
  );
});
