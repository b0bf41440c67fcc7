import { randomUUID } from 'node:crypto';
import { ParsedMessage } from '@spruceid/siwe-parser';
import {
  parseSignature,
  recoverMessageAddress,
  serializeCompactSignature,
  signatureToCompactSignature,
} from 'viem';
import { parseSiweMessage } from 'viem/siwe';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { requestSignIn } from '../../src/features/sessions/sign-in-commands.ts';
import { apiOf } from '../support/api.ts';
import { faults, itRefuses, missing, notStrings, requiredString } from '../support/field-faults.ts';
import { accepted, refused } from '../support/outcome.ts';
import { channelStatus, id, signInFields, succeeded } from '../support/records.ts';
import { startTestServer } from '../support/server.ts';
import { malleated, newWallet, type TestWallet } from '../support/wallet.ts';

const server = await startTestServer();
afterAll(server.close);
const api = apiOf(server);
const { gameId } = await server.createGame({ name: 'Space Race' });

const created = succeeded({ channelId: id, signRequest: z.string() });
const verified = succeeded(signInFields);

async function begin(wallet: TestWallet) {
  const body = { wallet: wallet.lowercase, gameId };
  return accepted(await api.post('/launcher/create-unverified-channel', body), created);
}

const verify = (channelId: string, signature: string, rest: object = {}) =>
  api.post('/launcher/verify-unverified-channel', { channelId, signature, ...rest });

/** The signature in 64 bytes (EIP-2098). */
function compact(signature: string): string {
  const parsed = parseSignature(`0x${signature.slice(2)}`);
  return serializeCompactSignature(signatureToCompactSignature(parsed));
}

describe('createUnverifiedChannel', () => {
  it('returns a channel and an EIP-4361 message bound to it, to this server and to ten minutes', async () => {
    const wallet = newWallet();
    const before = Date.now();
    const { channelId, signRequest } = await begin(wallet);
    const message = parseSiweMessage(signRequest);
    expect(message).toMatchObject({
      address: wallet.address,
      domain: new URL(server.url).host,
      uri: `${server.url}/`,
      version: '1',
      nonce: expect.stringMatching(/^[a-zA-Z0-9]{8,}$/),
    });
    expect(message.chainId).toEqual(expect.any(Number));
    expect(message.resources?.join()).toContain(channelId);
    const issuedAt = Number(message.issuedAt);
    expect(issuedAt).toBeGreaterThanOrEqual(before - 1);
    expect(issuedAt).toBeLessThanOrEqual(Date.now());
    expect(Number(message.expirationTime) - issuedAt).toBe(10 * 60 * 1000);
  });

  it.each(['100% Orange', 'Rock\'n\'Roll: The "Game"', 'C:\\Games', '🎮', 'لعبة الفضاء'])(
    'returns a text that an ABNF parser of EIP-4361 accepts for a game called %s',
    async (name) => {
      const wallet = newWallet();
      const { gameId } = await server.createGame({ name });
      const body = { wallet: wallet.lowercase, gameId };
      const { signRequest } = accepted(await api.dispatch('createUnverifiedChannel', body), created);
      const parsed = new ParsedMessage(signRequest);
      expect(parsed).toMatchObject({ address: wallet.address, uri: `${server.url}/` });
      expect(parsed.statement).toMatch(/^Sign in to play .+\.$/);
    },
  );

  it('creates a different channel and nonce every time', async () => {
    const wallet = newWallet();
    const [first, second] = [await begin(wallet), await begin(wallet)];
    expect(second.channelId).not.toBe(first.channelId);
    const nonceOf = (text: string) => parseSiweMessage(text).nonce;
    expect(nonceOf(second.signRequest)).not.toBe(nonceOf(first.signRequest));
  });

  it.each([
    ['in lowercase', (wallet: TestWallet) => wallet.lowercase],
    ['in capitals', (wallet: TestWallet) => `0x${wallet.address.slice(2).toUpperCase()}`],
    ['with its checksum', (wallet: TestWallet) => wallet.address],
  ])('accepts the wallet %s', async (_how, written) => {
    const wallet = newWallet();
    const body = { wallet: written(wallet), gameId };
    const { signRequest } = accepted(await api.dispatch('createUnverifiedChannel', body), created);
    expect(parseSiweMessage(signRequest).address).toBe(wallet.address);
  });

  // The examples of EIP-55, each with one letter in the wrong case.
  it.each([
    '0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d358',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8c6FB',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDB',
  ])('refuses %s, whose checksum is wrong', async (wallet) => {
    const answer = await api.post('/launcher/create-unverified-channel', { wallet, gameId });
    refused(answer, 400, 'address_invalid', 'wallet');
  });

  it('refuses an unknown game', async () => {
    const body = { wallet: newWallet().lowercase, gameId: 'no-such-game' };
    refused(await api.post('/launcher/create-unverified-channel', body), 400, 'game_unknown');
  });

  itRefuses(
    api,
    '/launcher/create-unverified-channel',
    () => ({ wallet: `0x${'a1'.repeat(20)}`, gameId }),
    faults('wallet', [missing, ...notStrings, '', '0x', `0x${'g'.repeat(40)}`], 'address_invalid'),
  );
});

describe('verifyUnverifiedChannel', () => {
  it('returns a valid token for the wallet’s signature, as launcherJwt and as jwt', async () => {
    const wallet = newWallet();
    const { channelId, signRequest } = await begin(wallet);
    const { launcherJwt, jwt } = accepted(await verify(channelId, await wallet.sign(signRequest)), verified);
    expect(jwt).toBe(launcherJwt);
    const status = accepted(await api.post('/launcher/channel-status', { launcherJwt }), channelStatus);
    expect(status).toMatchObject({ exists: true, wallet: wallet.lowercase });
  });

  it('behaves the same when dispatched', async () => {
    const wallet = newWallet();
    const { channelId, signRequest } = await begin(wallet);
    const body = { channelId, signature: await wallet.sign(signRequest) };
    accepted(await api.dispatch('verifyUnverifiedChannel', body), verified);
  });

  it('accepts a chainId with the signature of an ordinary wallet', async () => {
    const wallet = newWallet();
    const { channelId, signRequest } = await begin(wallet);
    accepted(await verify(channelId, await wallet.sign(signRequest), { chainId: 1 }), verified);
  });

  it('identifies the same wallet as the same player', async () => {
    const wallet = newWallet();
    const userIds = [];
    for (let time = 0; time < 2; time++) {
      const { channelId, signRequest } = await begin(wallet);
      const answer = accepted(await verify(channelId, await wallet.sign(signRequest)), verified);
      userIds.push(JSON.parse(atob(answer.launcherJwt.split('.')[1] ?? '')).userId);
    }
    expect(userIds[1]).toBe(userIds[0]);
  });

  it('accepts a signature once, even from concurrent calls', async () => {
    const wallet = newWallet();
    const { channelId, signRequest } = await begin(wallet);
    const signature = await wallet.sign(signRequest);
    const answers = await Promise.all([1, 2, 3].map(() => verify(channelId, signature)));
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400, 400]);
    refused(await verify(channelId, signature), 400, 'sign_in_used');
  });

  it('refuses an unknown channel', async () => {
    const answer = await verify(randomUUID(), await newWallet().sign('hello'));
    refused(answer, 400, 'sign_in_unknown');
  });

  it('refuses a channel whose ten minutes are over', async () => {
    const wallet = newWallet();
    const { signRequest } = await begin(wallet);
    const channelId = randomUUID();
    await server.services.db.write(requestSignIn, {
      id: channelId,
      gameId,
      wallet: wallet.lowercase,
      signRequest,
      expiresAt: Date.now() - 1,
    });
    refused(await verify(channelId, await wallet.sign(signRequest)), 400, 'sign_in_expired');
  });

  it.each([
    ['of another wallet', async (_wallet: TestWallet, text: string) => newWallet().sign(text)],
    ['of another text', (wallet: TestWallet, text: string) => wallet.sign(`${text} `)],
    ['of another channel', async (wallet: TestWallet) => wallet.sign((await begin(wallet)).signRequest)],
    ['written with a high s', async (wallet: TestWallet, text: string) => malleated(await wallet.sign(text))],
    ['cut short', async (wallet: TestWallet, text: string) => (await wallet.sign(text)).slice(0, -4)],
    [
      'in the compact form of EIP-2098 with the other parity',
      async (wallet: TestWallet, text: string) => {
        const signature = compact(await wallet.sign(text));
        const flipped = Number.parseInt(signature.slice(66, 68), 16) ^ 0x80;
        return `${signature.slice(0, 66)}${flipped.toString(16).padStart(2, '0')}${signature.slice(68)}`;
      },
    ],
    ['with a byte behind', async (wallet: TestWallet, text: string) => `${await wallet.sign(text)}00`],
    ['of zeros', async () => `0x${'00'.repeat(65)}`],
    ['of r and s beyond the curve', async () => `0x${'ff'.repeat(64)}1b`],
    ['of two bytes', async () => '0xabcd'],
  ])('refuses a signature %s, and the valid one still works', async (_what, forge) => {
    const wallet = newWallet();
    const { channelId, signRequest } = await begin(wallet);
    const forged = await forge(wallet, signRequest);
    refused(await verify(channelId, forged), 401, 'wallet_signature_invalid');
    accepted(await verify(channelId, await wallet.sign(signRequest)), verified);
  });

  it('accepts a signature in the compact form of EIP-2098, of either parity', async () => {
    const parities = new Set<string>();
    while (parities.size < 2) {
      const wallet = newWallet();
      const { channelId, signRequest } = await begin(wallet);
      const signature = await wallet.sign(signRequest);
      accepted(await verify(channelId, compact(signature)), verified);
      parities.add(signature.slice(-2));
    }
  });

  it('is tested with a high-s signature that does recover to the wallet', async () => {
    const wallet = newWallet();
    const signature = malleated(await wallet.sign('hello'));
    const address = await recoverMessageAddress({ message: 'hello', signature: `0x${signature.slice(2)}` });
    expect(address).toBe(wallet.address);
  });

  it('accepts the valid signature at the fifth attempt, and none after it', async () => {
    for (const [wrongOnes, status] of [
      [4, 200],
      [5, 400],
    ] as const) {
      const wallet = newWallet();
      const { channelId, signRequest } = await begin(wallet);
      const wrong = await newWallet().sign(signRequest);
      for (let attempt = 0; attempt < wrongOnes; attempt++) {
        refused(await verify(channelId, wrong), 401, 'wallet_signature_invalid');
      }
      const answer = await verify(channelId, await wallet.sign(signRequest));
      if (status === 200) accepted(answer, verified);
      else refused(answer, 400, 'sign_in_attempts_exhausted');
    }
  });

  it('counts concurrent attempts', async () => {
    const { channelId, signRequest } = await begin(newWallet());
    const wrong = await newWallet().sign(signRequest);
    const answers = await Promise.all(Array.from({ length: 12 }, () => verify(channelId, wrong)));
    expect(answers.filter((answer) => answer.status === 401)).toHaveLength(5);
  });

  it('lists the configured chains when another one is named', async () => {
    const { channelId } = await begin(newWallet());
    const signature = `0x${'ab'.repeat(200)}`;
    refused(await verify(channelId, signature, { chainId: 137 }), 400, 'chain_unknown');
  });

  it('needs no launcherJwt, and ignores an invalid one', async () => {
    const wallet = newWallet();
    const { channelId, signRequest } = await begin(wallet);
    const signature = await wallet.sign(signRequest);
    accepted(await verify(channelId, signature, { launcherJwt: 'nonsense' }), verified);
  });

  itRefuses(
    api,
    '/launcher/verify-unverified-channel',
    () => ({ channelId: 'c', signature: '0xabcd', chainId: 1 }),
    [
      ...requiredString('channelId'),
      ...requiredString('signature'),
      ...faults('signature', ['', '0x', 'abcd', '0xabc', '0xwxyz'], 'input_invalid'),
      ...faults('chainId', ['1', 1.5, true, [1]], 'input_invalid'),
    ],
  );
});
