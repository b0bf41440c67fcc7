import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ChainClients } from '../../src/features/chains/chain-client.ts';
import type { AccessRule } from '../../src/features/games/access.ts';
import type { PolicyChanges } from '../../src/features/games/game.ts';
import { findGame } from '../../src/features/games/queries.ts';
import { GameAccess } from '../../src/features/sessions/game-access.ts';
import { type Api, apiOf } from '../support/api.ts';
import type { Answer } from '../support/http.ts';
import { refused } from '../support/outcome.ts';
import { type RpcProxy, startRpcProxy } from '../support/rpc-proxy.ts';
import { type RulesChain, startRulesChain } from '../support/rules-chain.ts';
import { randomWallet, startTestServer, type TestServer } from '../support/server.ts';
import { signedIn, signInsTo } from '../support/sign-in.ts';
import { newWallet } from '../support/wallet.ts';
import { bearer } from '../support/world.ts';

const hour = 60 * 60 * 1000;

/** A chain whose RPC server nobody can reach. */
const deadChain = 5;

let chain: RulesChain;
let proxy: RpcProxy;
let server: TestServer;
let api: Api;
let launcherId: string;
beforeAll(async () => {
  chain = await startRulesChain();
  proxy = await startRpcProxy(chain.anvil.url);
  const chains = { [chain.chainId]: [proxy.url], [deadChain]: ['http://127.0.0.1:1'] };
  server = await startTestServer({ CHAINS: JSON.stringify(chains) });
  api = apiOf(server);
  launcherId = (await server.createGame({ name: 'Launcher', kind: 'launcher' })).gameId;
});
afterAll(async () => {
  await server.close();
  await proxy[Symbol.asyncDispose]();
  await chain[Symbol.asyncDispose]();
});

const owned = (standard: 'erc20' | 'erc721' | 'erc1155', fields: object = {}) => {
  const contract = { erc20: 'Token', erc721: 'Pass', erc1155: 'Achievements' } as const;
  return {
    type: 'user-owns-tokens' as const,
    standard,
    chainId: chain.chainId,
    contract: chain.addresses[contract[standard]].toLowerCase(),
    ...(standard === 'erc1155' && { tokenId: '7' }),
    operator: 'gte' as const,
    amount: '1',
    ...fields,
  };
};
const all = (...of: object[]) => ({ type: 'all', of });
const any = (...of: object[]) => ({ type: 'any', of });
/** On the chain that nobody can reach. */
const unreachable = () => owned('erc20', { chainId: deadChain });

/** A game that requires this, and a wallet that owns nothing. */
async function gated(access: object | null) {
  const policies = { access } as PolicyChanges;
  return { ...(await server.createGame({ name: 'Vault', policies })), wallet: randomWallet() };
}

async function play(gameId: string, wallet: string): Promise<Answer> {
  const { launcherJwt } = await server.openSession(launcherId, wallet);
  return api.post('/launcher/open-channel-session', { launcherJwt, gameId });
}

let passes = 0;
const give = {
  erc20: (to: string, amount = 1n) => chain.write('Token', 'mint', [to, amount]),
  erc721: (to: string) => chain.write('Pass', 'mint', [to, BigInt(++passes)]),
  erc1155: (to: string) => chain.write('Achievements', 'mint', [to, 7n, 1n, '0x']),
};

describe('a launcher that opens a game with tokens', () => {
  test.each(['erc20', 'erc721', 'erc1155'] as const)(
    'is refused with what is missing, until the player owns it: %s',
    async (standard) => {
      const token = owned(standard, { amount: '1' });
      const { gameId, wallet } = await gated(token);
      const { type: _, operator: __, ...missing } = token;
      const { data, message } = refused(await play(gameId, wallet), 403, 'access_denied');
      expect(data).toMatchObject({ missing: [{ ...missing, owned: '0' }] });
      expect(message).toContain(`Vault requires 1 of ${standard.replace('erc', 'ERC-')}`);
      expect(message).toContain(token.contract);
      await give[standard](wallet);
      expect((await play(gameId, wallet)).status).toBe(200);
      refused(await play(gameId, randomWallet()), 403, 'access_denied');
    },
  );

  test('counts: one unit too few is refused with what is there', async () => {
    const { gameId, wallet } = await gated(owned('erc20', { amount: '1000000000000000000' }));
    await give.erc20(wallet, 999_999_999_999_999_999n);
    const { data } = refused(await play(gameId, wallet), 403, 'access_denied');
    expect(data).toMatchObject({
      missing: [{ amount: '1000000000000000000', owned: '999999999999999999' }],
    });
    await give.erc20(wallet, 1n);
    expect((await play(gameId, wallet)).status).toBe(200);
  });

  test('needs all of "all" and one of "any", also within each other', async () => {
    const { gameId, wallet } = await gated(all(owned('erc20'), any(owned('erc721'), owned('erc1155'))));
    const missing = async () => {
      const { data } = refused(await play(gameId, wallet), 403, 'access_denied');
      return ('missing' in data ? (data.missing ?? []) : []).map(({ standard }) => standard);
    };
    expect(await missing()).toEqual(['erc20', 'erc721', 'erc1155']);
    await give.erc1155(wallet);
    expect(await missing()).toEqual(['erc20', 'erc721']);
    await give.erc20(wallet);
    expect((await play(gameId, wallet)).status).toBe(200);
  });

  test('a change of ownership counts for the former owner a minute later, for the new one at once', async () => {
    const { gameId, wallet } = await gated(owned('erc721'));
    await give.erc721(wallet);
    const pass = BigInt(passes);
    const game = await server.services.db.read(findGame, gameId);
    if (!game) throw new Error('no game');
    const access = new GameAccess(new ChainClients(server.config.chains));
    const check = (who: string, now: number) => access.check(game, who, now);
    await check(wallet, 0);
    const other = randomWallet();
    await chain.write('Pass', 'move', [other, pass]);
    await check(wallet, 59_999);
    await check(other, 59_999);
    await expect(check(wallet, 60_000)).rejects.toMatchObject({ reason: 'access_denied' });
    // A refusal is not remembered.
    await chain.write('Pass', 'move', [wallet, pass]);
    await check(wallet, 60_001);
    const stricter = { ...game, policies: { ...game.policies, access: owned('erc721', { amount: '2' }) } };
    await expect(access.check(stricter, wallet, 60_002)).rejects.toMatchObject({ reason: 'access_denied' });
  });
});

describe('when a chain cannot be read', () => {
  const unknown = (answer: Answer) => {
    const { data } = refused(answer, 503, 'access_unknown');
    expect(data).toMatchObject({ retryAfterSeconds: 5 });
    expect(data).not.toHaveProperty('missing');
  };

  test('nobody is let in, not even an owner, and everybody can try again', async () => {
    const { gameId, wallet } = await gated(owned('erc721'));
    await give.erc721(wallet);
    proxy.lieLow(true);
    unknown(await play(gameId, wallet));
    unknown(await play(gameId, randomWallet()));
    proxy.lieLow(false);
    expect((await play(gameId, wallet)).status).toBe(200);
    proxy.falsify('eth_call', () => '0x');
    unknown(await play(gameId, randomWallet()));
    proxy.falsify('eth_call', null);
  });

  test('the other tokens decide where they can', async () => {
    const wallet = randomWallet();
    await give.erc1155(wallet);
    const outcome = async (access: object) => {
      const answer = await play((await gated(access)).gameId, wallet);
      return answer.status === 200 ? 200 : Object(answer.body).data.reason;
    };
    expect(await outcome(any(unreachable(), owned('erc1155')))).toBe(200);
    expect(await outcome(any(unreachable(), owned('erc721')))).toBe('access_unknown');
    expect(await outcome(all(unreachable(), owned('erc721')))).toBe('access_denied');
    expect(await outcome(all(unreachable(), owned('erc1155')))).toBe('access_unknown');
    expect(await outcome(owned('erc20', { chainId: 99 }))).toBe('access_unknown'); // no longer configured
    expect(await outcome(owned('erc20', { contract: randomWallet() }))).toBe('access_unknown'); // no contract
  });

  test('a server that never answers is waited for only so long, and not for a token that is not needed', async () => {
    const hung = new ChainClients(new Map([[chain.chainId, [proxy.url]]]));
    const slow = {
      chainIds: [],
      get: (id: number) => (id === deadChain ? new Promise(() => {}) : hung.get(id)),
    };
    const within = (timeoutMs: number) => new GameAccess(slow as unknown as ChainClients, timeoutMs);
    const { gameId, wallet } = await gated(unreachable());
    const game = await server.services.db.read(findGame, gameId);
    if (!game) throw new Error('no game');
    await expect(within(1).check(game, wallet, 0)).rejects.toMatchObject({ reason: 'access_unknown' });
    await give.erc1155(wallet);
    const rule = any(unreachable(), owned('erc1155')) as AccessRule;
    const either = { ...game, policies: { ...game.policies, access: rule as typeof game.policies.access } };
    await within(hour).check(either, wallet, 0); // the token that is not needed is never read
  });
});

describe('every way in', () => {
  test('a wallet signs in once it owns the token, with the sign-in that was refused', async () => {
    const { gameId } = await gated(owned('erc721'));
    const wallet = newWallet();
    const { begin, finish } = signInsTo(server, gameId);
    const { channelId, signRequest } = await begin(wallet.address);
    const signature = await wallet.sign(signRequest);
    for (let attempt = 0; attempt < 6; attempt++)
      refused(await finish(channelId, signature), 403, 'access_denied');
    proxy.lieLow(true);
    refused(await finish(channelId, signature), 503, 'access_unknown');
    proxy.lieLow(false);
    await give.erc721(wallet.address);
    await signedIn(server, await finish(channelId, signature), wallet.lowercase);
  });

  test('guests own nothing: they are refused without asking a chain, and none is created', async () => {
    const { gameId, gameSecret } = await gated(any(owned('erc721'), unreachable()));
    proxy.lieLow(true);
    const answer = refused(await api.post('/launcher/create-guest', { gameId }), 403, 'access_denied');
    expect(answer.data).toMatchObject({ missing: [{ owned: '0' }, { owned: '0' }] });
    const { body } = await api.post('/launcher/create-guest', { gameId: launcherId });
    const { deviceSecret, launcherJwt } = Object(body);
    refused(await api.post('/launcher/sign-in-guest', { gameId, deviceSecret }), 403, 'access_denied');
    refused(await api.post('/launcher/open-channel-session', { launcherJwt, gameId }), 403, 'access_denied');
    proxy.lieLow(false);
    // The game's server lets in whom it wants, and so do administrators.
    const headers = bearer(gameSecret);
    expect((await api.post('/launcher/vouch-for-player', { playerId: 'steam:1' }, headers)).status).toBe(200);
    const wallet = randomWallet();
    const byServer = await api.post('/launcher/open-channel-session', { wallet }, headers);
    expect(byServer.status).toBe(200);
    const byAdmin = await api.post('/admin/open-session', { gameId, wallet }, bearer(server.adminToken));
    expect(byAdmin.status).toBe(200);
  });

  test('a session from before is renewed only while the player owns what is required', async () => {
    const { gameId } = await gated(null);
    const wallet = newWallet();
    const { begin, finish } = signInsTo(server, gameId);
    const { channelId, signRequest } = await begin(wallet.address);
    const answer = await finish(channelId, await wallet.sign(signRequest));
    const launcherJwt = await signedIn(server, answer, wallet.lowercase);
    const renew = () => api.post('/launcher/renew-channel-session', { launcherJwt });
    expect((await renew()).status).toBe(200);
    await setAccess(gameId, owned('erc1155'));
    refused(await renew(), 403, 'access_denied');
    expect((await api.post('/launcher/channel-heartbeat', { launcherJwt })).status).toBe(200);
    await give.erc1155(wallet.address);
    expect((await renew()).status).toBe(200);
  });

  test('a guest from before gets a wallet only if it owns what is required, and stays a guest otherwise', async () => {
    const { gameId } = await gated(null);
    const guest = Object((await api.post('/launcher/create-guest', { gameId })).body);
    await setAccess(gameId, owned('erc1155'));
    const { launcherJwt } = guest;
    refused(await api.post('/launcher/renew-channel-session', { launcherJwt }), 403, 'access_denied');
    const wallet = newWallet();
    const input = { launcherJwt, wallet: wallet.address };
    const { channelId, signRequest } = Object(
      (await api.post('/launcher/request-guest-upgrade', input)).body,
    );
    const signature = await wallet.sign(signRequest);
    const upgrade = () => api.post('/launcher/upgrade-guest', { launcherJwt, channelId, signature });
    refused(await upgrade(), 403, 'access_denied');
    expect(Object((await api.post('/launcher/get-player', { launcherJwt })).body).player.isGuest).toBe(true);
    await give.erc1155(wallet.address);
    expect(await upgrade()).toMatchObject({ status: 200, body: { wallet: wallet.lowercase } });
  });
});

const setAccess = async (gameId: string, access: object | null) => {
  const answer = await api.post(
    '/admin/update-game',
    { gameId, policies: { access } },
    bearer(server.adminToken),
  );
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
};

describe('the policy access', () => {
  test('is shown to everyone in words and as it was set, and null removes it', async () => {
    const { gameId } = await gated(null);
    const shown = async () => Object((await api.post('/launcher/get-game', { gameId })).body).game.access;
    expect(await shown()).toBeNull();
    const pass = owned('erc721', { name: 'Founders Pass' });
    const rule = any(pass, all(owned('erc20', { amount: '50' }), owned('erc1155')));
    await setAccess(gameId, rule);
    const { Pass, Token, Achievements } = chain.addresses;
    expect(await shown()).toEqual({
      rule,
      text:
        `1 of Founders Pass (ERC-721 ${Pass.toLowerCase()} on chain 31337) or ` +
        `(50 of ERC-20 ${Token.toLowerCase()} on chain 31337, in its smallest unit and ` +
        `1 of ERC-1155 token 7 of ${Achievements.toLowerCase()} on chain 31337)`,
    });
    await setAccess(gameId, null);
    expect(await shown()).toBeNull();
  });

  test.each([
    ['', () => ({ type: 'owner' }), 'must be user-owns-tokens, all or any'],
    ['.of', () => all(), 'at least 1 entry'],
    ['.of.0.of.0.type', () => all(all(all(owned('erc20')))), 'must be "user-owns-tokens"'],
    ['', () => any(...Array.from({ length: 3 }, () => all(...Array(7).fill(owned('erc20'))))), 'at most 20'],
    ['.operator', () => owned('erc20', { operator: 'lt' }), 'must be gte'],
    ['.tokenId', () => owned('erc1155', { tokenId: undefined }), 'is required'],
    ['.standard', () => ({ type: 'user-owns-tokens', standard: 'off-chain', achievement: 'x' }), 'erc20'],
    ['.chainId', () => owned('erc20', { chainId: 99 }), 'CHAINS has no RPC server for chain 99'],
    ['.of.1.chainId', () => any(owned('erc20'), unreachable()), 'no RPC server of the chain responds'],
    ['.contract', () => owned('erc20', { contract: randomWallet() }), 'no contract is deployed'],
    ['.contract', () => owned('erc721', { contract: chain.addresses.Achievements }), 'does not answer'],
  ])('is refused at %j', async (path, access, message) => {
    const { gameId } = await gated(null);
    const input = { gameId, policies: { access: access() } };
    const answer = await api.post('/admin/update-game', input, bearer(server.adminToken));
    const body = refused(answer, 400, 'input_invalid');
    expect(body.errors).toContainEqual({
      path: expect.stringMatching(new RegExp(`^policies\\.access${path}`)),
      message: expect.stringContaining(message),
    });
  });
});
