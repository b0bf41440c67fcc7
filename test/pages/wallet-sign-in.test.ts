import type { Browser, Page } from 'playwright-core';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultName } from '../../src/core/schemas/default-name.ts';
import { findPlayer } from '../../src/features/players/queries.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { launchBrowser, noBrowser, openPage } from './browser.ts';
import { signedInAs } from './players.ts';

/** The requests that a wallet in the browser received. */
interface WalletRequest {
  method: string;
  params?: readonly unknown[];
}

describe.skipIf(noBrowser !== null)('signing in with a browser wallet', () => {
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    server = await startTestServer();
    await server.createGame({ name: 'Launcher', kind: 'launcher' });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  test('without a launcher the page says what its operator must do', async () => {
    await using server = await startTestServer({ GUESTS: 'off' });
    const { page, complaints } = await openPage(browser);
    await page.goto(`${server.url}/play`);
    await page.getByText('This server has no launcher yet').waitFor();
    expect(complaints).toEqual([]);
    await server.createGame({ name: 'Launcher', kind: 'launcher' });
    await page.reload();
    await page.getByText('No wallet found in this browser').waitFor();
    // This server accepts no guests.
    expect(await page.getByRole('button', { name: 'Play as a guest' }).count()).toBe(0);
  });

  test('a guest continues in the same browser, connects a wallet, and stays the same player', async () => {
    const account = privateKeyToAccount(generatePrivateKey());
    const { page, complaints } = await openPage(browser);
    await installWallet(page, async ({ method, params = [] }) => {
      if (method === 'eth_requestAccounts') return [account.address];
      if (method === 'eth_getCode') return '0x';
      return account.signMessage({ message: { raw: params[0] as `0x${string}` } });
    });
    await page.goto(`${server.url}/play`);
    await page.getByRole('button', { name: 'Play as a guest' }).click();
    await page.getByText('No games yet').waitFor();
    const { address: guest } = await signedInAs(page);
    expect(guest).toMatch(/^0x6775657374/);
    const { userId } = (await server.services.db.read(findPlayer, guest)) ?? {};
    expect(userId).toBeTypeOf('string');

    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: `Continue as ${defaultName(guest)}` }).click();
    await page.getByText('No games yet').waitFor();
    expect((await signedInAs(page)).address).toBe(guest);

    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('button', { name: 'Connect Test Wallet to keep it' }).click();
    const wallet = account.address.toLowerCase();
    await expect.poll(async () => (await signedInAs(page)).address).toBe(wallet);
    await page.getByText('No games yet').waitFor();
    expect(await server.services.db.read(findPlayer, wallet)).toMatchObject({ userId, wallet });
    expect(await server.services.db.read(findPlayer, guest)).toBeNull();

    await page.getByRole('button', { name: /^Account/ }).click();
    expect(await page.getByText('You are playing as a guest').count()).toBe(0);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Play as a guest' }).waitFor();
    expect(await page.getByRole('button', { name: /^Continue as/ }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('a wallet is found (EIP-6963), signs with personal_sign, and the launcher opens', async () => {
    const account = privateKeyToAccount(generatePrivateKey());
    const { page, complaints } = await openPage(browser);
    const requested = await installWallet(page, async ({ method, params = [] }) => {
      if (method === 'eth_requestAccounts') return [account.address];
      if (method === 'eth_getCode') return '0x';
      if (method === 'personal_sign' && params[1] === account.address) {
        return account.signMessage({ message: { raw: params[0] as `0x${string}` } });
      }
      throw Object.assign(new Error(`unexpected ${method}`), { code: -32601 });
    });
    await page.goto(`${server.url}/play`);
    await page.getByRole('button', { name: 'Sign in with Test Wallet' }).click();
    await page.getByText('No games yet').waitFor();
    expect((await signedInAs(page)).address).toBe(account.address.toLowerCase());
    expect(requested.map(({ method }) => method)).toEqual([
      'eth_requestAccounts',
      'eth_getCode',
      'personal_sign',
    ]);
    expect(complaints).toEqual([]);
  });

  test('a contract wallet names its chain, and is told when the server does not know it', async () => {
    const account = privateKeyToAccount(generatePrivateKey());
    const { page } = await openPage(browser);
    await installWallet(page, async ({ method }) => {
      if (method === 'eth_requestAccounts') return [account.address];
      if (method === 'eth_getCode') return '0x6080604052';
      return '0x2105';
    });
    await page.goto(`${server.url}/play`);
    await page.getByRole('button', { name: 'Sign in with Test Wallet' }).click();
    await page.getByRole('alert').filter({ hasText: 'no chain is configured' }).waitFor();
  });

  test.each([
    [4001, 'Request rejected in the wallet'],
    [-32002, 'has a pending request'],
    [-32603, 'Wallet request failed'],
  ])('a wallet that answers %s is reported with a clear error, and can be retried', async (code, words) => {
    const { page, complaints } = await openPage(browser);
    await installWallet(page, async () => {
      throw Object.assign(new Error('no'), { code });
    });
    await page.goto(`${server.url}/play`);
    const button = page.getByRole('button', { name: 'Sign in with Test Wallet' });
    await button.click();
    await page.getByRole('alert').filter({ hasText: words }).waitFor();
    expect(await button.isEnabled()).toBe(true);
    expect(complaints).toEqual([]);
  });

  test('a signature of another wallet is refused with a clear error', async () => {
    const [claimed, signing] = [generatePrivateKey(), generatePrivateKey()].map((key) =>
      privateKeyToAccount(key),
    );
    const { page } = await openPage(browser);
    await installWallet(page, async ({ method, params = [] }) => {
      if (method === 'eth_requestAccounts') return [claimed?.address];
      if (method === 'eth_getCode') return '0x';
      return signing?.signMessage({ message: { raw: params[0] as `0x${string}` } });
    });
    await page.goto(`${server.url}/play`);
    await page.getByRole('button', { name: 'Sign in with Test Wallet' }).click();
    await page.getByRole('alert').filter({ hasText: 'signature' }).waitFor();
  });
});

/** Puts a wallet into the page that announces itself, with requests answered in the test. */
async function installWallet(
  page: Page,
  answer: (request: WalletRequest) => Promise<unknown>,
): Promise<WalletRequest[]> {
  const requested: WalletRequest[] = [];
  await page.exposeFunction('walletAnswers', async (request: WalletRequest) => {
    requested.push(request);
    try {
      return { result: await answer(request) };
    } catch (error) {
      const { message, code } = error as Error & { code?: number };
      return { error: { message, code } };
    }
  });
  await page.addInitScript(() => {
    const provider = {
      async request(request: unknown) {
        const answers = Reflect.get(globalThis, 'walletAnswers') as (request: unknown) => Promise<{
          result?: unknown;
          error?: { message: string; code?: number };
        }>;
        const { result, error } = await answers(request);
        if (error) throw Object.assign(new Error(error.message), { code: error.code });
        return result;
      },
    };
    const info = {
      uuid: '0f8fad5b-d9cb-469f-a165-70867728950e',
      name: 'Test Wallet',
      icon: 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"/>',
      rdns: 'example.wallet',
    };
    const detail = Object.freeze({ info, provider });
    addEventListener('eip6963:requestProvider', () =>
      dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail })),
    );
  });
  return requested;
}
