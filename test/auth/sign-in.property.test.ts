import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { findSessions } from '../../src/features/sessions/queries.ts';
import { serveGantry } from '../support/gantry-process.ts';
import { post } from '../support/http.ts';
import { accepted, refused } from '../support/outcome.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { type BegunSignIn, type SignIns, signedIn, signInsTo } from '../support/sign-in.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { malleated, newWallet, type TestWallet } from '../support/wallet.ts';
import { bearer } from '../support/world.ts';

const adminToken = 'the-admin-token-of-two-processes';
const createdGame = z.looseObject({ gameId: z.string() });
const sessionPage = z.looseObject({ total: z.int() });
const refusal = z.looseObject({ data: z.looseObject({ reason: z.string() }) });

test('one signature, sent 50 times concurrently to two processes on one data directory, creates one token', async () => {
  await using directory = await temporaryDirectory();
  const settings = { GANTRY_DEMO: 'off', ADMIN_TOKEN: adminToken, RATE_LIMIT_FACTOR: '1000' };
  await using first = await serveGantry(directory.path, settings);
  await using second = await serveGantry(directory.path, settings);
  const administer = (operation: string, input: object) =>
    post(`${first.url}/admin/${operation}`, input, bearer(adminToken));
  const { gameId } = accepted(await administer('create-game', { name: 'Orbit' }), createdGame);
  const [here, there] = [signInsTo(first, gameId), signInsTo(second, gameId)];

  const used: { channelId: string; signature: string }[] = [];
  for (let round = 0; round < 5; round++) {
    const wallet = newWallet();
    const { channelId, signRequest } = await here.begin(wallet.address);
    const signature = await wallet.sign(signRequest);
    used.push({ channelId, signature });
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, call) => (call % 2 ? here : there).finish(channelId, signature)),
    );

    const tokens = answers.filter(({ status }) => status === 200);
    expect(tokens).toHaveLength(1);
    for (const token of tokens) {
      await signedIn(first, token, wallet.address);
      await signedIn(second, token, wallet.address);
    }
    for (const answer of answers.filter((one) => !tokens.includes(one))) {
      expect(answer.status, JSON.stringify(answer.body)).toBe(400);
      expect(['sign_in_used', 'sign_in_attempts_exhausted']).toContain(
        refusal.parse(answer.body).data.reason,
      );
    }
    const sessions = await administer('list-sessions', { wallet: wallet.address });
    expect(accepted(sessions, sessionPage).total).toBe(1);
  }

  await first.end('SIGKILL');
  await second.end('SIGKILL');
  await using later = await serveGantry(directory.path, settings);
  for (const { channelId, signature } of used) {
    refused(await signInsTo(later, gameId).finish(channelId, signature), 400, 'sign_in_used');
  }
});

/** Turns a sign-in in progress into a signature that must not complete it. */
type Forge = (wallet: TestWallet, signIn: BegunSignIn) => Promise<string>;

/** Changes the valid signature. */
const misspelt = (change: (signature: Buffer) => Uint8Array): Forge => {
  return async (wallet, { signRequest }) => {
    const right = Buffer.from((await wallet.sign(signRequest)).slice(2), 'hex');
    return `0x${Buffer.from(change(right)).toString('hex')}`;
  };
};

/** The wallet signs something else. */
const ofAnotherText = (change: (signRequest: string) => string): Forge => {
  return (wallet, { signRequest }) => wallet.sign(change(signRequest));
};

describe('a signature other than the requested one grants nothing, and breaks nothing', () => {
  let server: TestServer;
  let elsewhere: TestServer;
  let gameId: string;
  let otherGame: SignIns;
  let otherServer: SignIns;
  beforeAll(async () => {
    server = await startTestServer();
    elsewhere = await startTestServer();
    gameId = (await server.createGame({ name: 'Orbit' })).gameId;
    // Everything but the id and the server is the same.
    otherGame = signInsTo(server, (await server.createGame({ name: 'Orbit' })).gameId);
    otherServer = signInsTo(elsewhere, (await elsewhere.createGame({ name: 'Orbit' })).gameId);
  });
  afterAll(async () => {
    await server.close();
    await elsewhere.close();
  });

  test("the valid signature, sent with another game's secret", async () => {
    const { gameSecret } = await server.createGame();
    const { begin, finish } = signInsTo(server, gameId);
    const wallet = newWallet();
    const { channelId, signRequest } = await begin(wallet.address);
    const input = { channelId, signature: await wallet.sign(signRequest) };
    const path = `${server.url}/launcher/verify-unverified-channel`;
    refused(await post(path, input, bearer(gameSecret)), 401, 'secret_invalid');
    await signedIn(server, await finish(channelId, input.signature), wallet.address);
  });

  const forgeries: Record<string, fc.Arbitrary<Forge>> = {
    'with one bit turned over': fc.nat({ max: 65 * 8 - 1 }).map((bit) =>
      misspelt((signature) => {
        signature[bit >> 3] = (signature[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        return signature;
      }),
    ),
    'cut short': fc
      .integer({ min: 1, max: 63 }) // 64 bytes are the compact form of EIP-2098
      .map((length) => misspelt((signature) => signature.subarray(0, length))),
    'with trailing bytes': fc
      .uint8Array({ minLength: 1, maxLength: 200 })
      .map((rest) => misspelt((signature) => Buffer.concat([signature, rest]))),
    'with bytes before it': fc
      .uint8Array({ minLength: 1, maxLength: 200 })
      .map((rest) => misspelt((signature) => Buffer.concat([rest, signature]))),
    'written with a high s': fc.constant(async (wallet, { signRequest }) =>
      malleated(await wallet.sign(signRequest)),
    ),
    'of any 64 bytes': fc.uint8Array({ minLength: 64, maxLength: 64 }).map((bytes) => misspelt(() => bytes)),
    'of any 65 bytes': fc.uint8Array({ minLength: 65, maxLength: 65 }).map((bytes) => misspelt(() => bytes)),
    'of another wallet': fc.constant((_, { signRequest }) => newWallet().sign(signRequest)),
    'of another channel': fc.constant(async (wallet) => {
      const other = await signInsTo(server, gameId).begin(wallet.address);
      return wallet.sign(other.signRequest);
    }),
    'of another game': fc.constant(async (wallet) =>
      wallet.sign((await otherGame.begin(wallet.address)).signRequest),
    ),
    'of another server': fc.constant(async (wallet) =>
      wallet.sign((await otherServer.begin(wallet.address)).signRequest),
    ),
    'of the text for another domain': fc
      .domain()
      .map((domain) => ofAnotherText((text) => text.replace(new URL(server.url).host, domain))),
    'of the text with a field changed': fc
      .constantFrom<[RegExp, string]>(
        [/URI: .+/, 'URI: https://evil.example'],
        [/Chain ID: 1/, 'Chain ID: 10'],
        [/Nonce: ./, 'Nonce: x'],
        [/Issued At: 2/, 'Issued At: 3'],
        [/Expiration Time: 2/, 'Expiration Time: 3'],
        [/urn:uuid:./, 'urn:uuid:z'],
        [/Orbit/, 'Chess'],
      )
      .map(([part, instead]) => ofAnotherText((text) => text.replace(part, instead))),
    'of the text with one letter changed': fc.nat().map((place) =>
      ofAnotherText((text) => {
        const at = place % text.length;
        return text.slice(0, at) + (text[at] === 'x' ? 'y' : 'x') + text.slice(at + 1);
      }),
    ),
    'of the text in other line ends': fc.constant(ofAnotherText((text) => text.replaceAll('\n', '\r\n'))),
    'of the text with more appended': fc
      .string({ minLength: 1 })
      .map((rest) => ofAnotherText((text) => `${text}${rest}`)),
  };

  test.each(Object.entries(forgeries))('%s', async (_, forgery) => {
    const { begin, finish } = signInsTo(server, gameId);
    await fc.assert(
      fc.asyncProperty(forgery, async (forge) => {
        const wallet = newWallet();
        const signIn = await begin(wallet.address);
        const forged = await forge(wallet, signIn);
        const right = await wallet.sign(signIn.signRequest);
        expect(forged).not.toBe(right);

        refused(await finish(signIn.channelId, forged), 401, 'wallet_signature_invalid');
        const page = { limit: 1, skip: 0 };
        const { total } = await server.services.db.read(findSessions, { wallet: wallet.lowercase }, page);
        expect(total).toBe(0);
        await signedIn(server, await finish(signIn.channelId, right), wallet.address);
      }),
      { numRuns: 20 },
    );
  });
});
