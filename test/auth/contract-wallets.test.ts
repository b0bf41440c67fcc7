import { type Hex, isAddressEqual, serializeErc6492Signature } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Anvil, startAnvil } from '../support/anvil.ts';
import { type WalletChain, walletsOn } from '../support/contract-wallets.ts';
import { refused } from '../support/outcome.ts';
import { startRpcServer } from '../support/rpc-server.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { type SignIns, signedIn, signInsTo } from '../support/sign-in.ts';
import { malleated } from '../support/wallet.ts';

const started = await startAnvil().catch((error: unknown) => {
  process.stdout.write(`contract wallets are not tested, for anvil cannot run here: ${error}\n`);
  return null;
});

describe.skipIf(started === null)('contract wallets on a real chain', () => {
  let anvil: Anvil;
  let chain: WalletChain;
  let server: TestServer;
  let signIns: SignIns;
  beforeAll(async () => {
    if (!started) return;
    anvil = started;
    chain = await walletsOn(anvil.url);
    server = await startTestServer({ CHAINS: JSON.stringify({ [anvil.chainId]: [anvil.url] }) });
    signIns = signInsTo(server, (await server.createGame()).gameId);
  });
  afterAll(async () => {
    await server.close();
    await anvil[Symbol.asyncDispose]();
  });

  const begin = (wallet: string) => signIns.begin(wallet, anvil.chainId);
  const finish = (channelId: string, signature: string) =>
    signIns.finish(channelId, signature, anvil.chainId);
  const wrong = 'wallet_signature_invalid';

  describe('a deployed wallet (ERC-1271)', () => {
    test("signs in with its owner's signature", async () => {
      const owner = newKey();
      const wallet = await chain.deploy('OwnedWallet', [owner.address]);
      const { channelId, signRequest } = await begin(wallet);
      const answer = await finish(channelId, await owner.signMessage({ message: signRequest }));
      await signedIn(server, answer, wallet);
    });

    test("does not sign in with another key's signature, and then still does with the owner's", async () => {
      const owner = newKey();
      const wallet = await chain.deploy('OwnedWallet', [owner.address]);
      const { channelId, signRequest } = await begin(wallet);
      refused(await finish(channelId, await newKey().signMessage({ message: signRequest })), 401, wrong);
      const answer = await finish(channelId, await owner.signMessage({ message: signRequest }));
      await signedIn(server, answer, wallet);
    });

    test("does not sign in with its owner's signature of another channel's text", async () => {
      const owner = newKey();
      const wallet = await chain.deploy('OwnedWallet', [owner.address]);
      const [{ channelId }, other] = [await begin(wallet), await begin(wallet)];
      refused(await finish(channelId, await owner.signMessage({ message: other.signRequest })), 401, wrong);
    });

    test('signs in with a signature once, even when calls arrive concurrently', async () => {
      const owner = newKey();
      const wallet = await chain.deploy('OwnedWallet', [owner.address]);
      const { channelId, signRequest } = await begin(wallet);
      const signature = await owner.signMessage({ message: signRequest });
      const answers = await Promise.all([1, 2, 3, 4].map(() => finish(channelId, signature)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
      refused(await finish(channelId, signature), 400, 'sign_in_used');
    });

    test('is not checked when no chainId is given', async () => {
      const owner = newKey();
      const wallet = await chain.deploy('OwnedWallet', [owner.address]);
      const { channelId, signRequest } = await begin(wallet);
      const signature = await owner.signMessage({ message: signRequest });
      refused(await signIns.finish(channelId, signature), 401, wrong);
    });
  });

  describe('a wallet that is not deployed yet (ERC-6492)', () => {
    test("signs in with its owner's signature, and stays undeployed", async () => {
      const wallet = chain.counterfactual(newKey());
      const { channelId, signRequest } = await begin(wallet.address);
      await signedIn(server, await finish(channelId, await wallet.sign(signRequest)), wallet.address);
      expect(await chain.isDeployed(wallet.address)).toBe(false);
    });

    test('signs in with the same kind of signature once it is deployed', async () => {
      const wallet = chain.counterfactual(newKey());
      await wallet.deploy();
      const { channelId, signRequest } = await begin(wallet.address);
      expect(await chain.isDeployed(wallet.address)).toBe(true);
      await signedIn(server, await finish(channelId, await wallet.sign(signRequest)), wallet.address);
    });

    test("does not sign in with another key's signature, and then still does with the owner's", async () => {
      const wallet = chain.counterfactual(newKey());
      const { channelId, signRequest } = await begin(wallet.address);
      refused(await finish(channelId, await wallet.sign(signRequest, newKey())), 401, wrong);
      await signedIn(server, await finish(channelId, await wallet.sign(signRequest)), wallet.address);
    });

    test("does not sign in with its owner's signature alone, without the deployment data", async () => {
      const owner = newKey();
      const { channelId, signRequest } = await begin(chain.counterfactual(owner).address);
      refused(await finish(channelId, await owner.signMessage({ message: signRequest })), 401, wrong);
    });

    test("does not sign in by deploying another owner's wallet", async () => {
      const [wallet, others] = [chain.counterfactual(newKey()), chain.counterfactual(newKey())];
      expect(isAddressEqual(wallet.address, others.address)).toBe(false);
      const { channelId, signRequest } = await begin(wallet.address);
      refused(await finish(channelId, await others.sign(signRequest)), 401, wrong);
    });
  });

  describe('a wallet with a private key does not sign in', () => {
    const spellings: Record<string, (signature: Hex) => Hex> = {
      'written with a high s': (signature) => asHex(malleated(signature)),
      'cut short': (signature) => asHex(signature.slice(0, -4)),
      'with a trailing byte': (signature) => `${signature}00`,
      'with a v of EIP-155': (signature) =>
        `${asHex(signature.slice(0, -2))}${signature.endsWith('1b') ? '25' : '26'}`,
      'wrapped as that of a wallet to be deployed': (signature) =>
        serializeErc6492Signature({ address: anyContract, data: '0x', signature }),
      'written with a high s and wrapped': (signature) =>
        serializeErc6492Signature({
          address: anyContract,
          data: '0x',
          signature: asHex(malleated(signature)),
        }),
    };
    let anyContract: Hex;
    beforeAll(async () => {
      anyContract = await chain.deploy('AgreeableWallet');
    });

    test.each(Object.keys(spellings))(
      'by its signature %s, even though a chain is named',
      async (spelling) => {
        const key = newKey();
        const { channelId, signRequest } = await begin(key.address);
        const signature = await key.signMessage({ message: signRequest });
        refused(await finish(channelId, spellings[spelling]?.(signature) ?? ''), 401, wrong);
        await signedIn(server, await finish(channelId, signature), key.address);
      },
    );

    test("by a contract that approves everything, wrapped around another key's signature", async () => {
      const { channelId, signRequest } = await begin(newKey().address);
      const signature = serializeErc6492Signature({
        address: anyContract,
        data: '0x1626ba7e',
        signature: await newKey().signMessage({ message: signRequest }),
      });
      refused(await finish(channelId, signature), 401, wrong);
    });
  });

  test.each(['RevertingWallet', 'AgreeableWallet', 'EndlessWallet', 'WalletFactory'])(
    'a contract that does not return the ERC-1271 magic value (%s) does not sign in',
    async (name) => {
      const { channelId, signRequest } = await begin(await chain.deploy(name));
      refused(await finish(channelId, await newKey().signMessage({ message: signRequest })), 401, wrong);
    },
  );

  test('a contract cannot redirect the server to another address', async () => {
    const requested: string[] = [];
    await using elsewhere = await startRpcServer((request, response) => {
      requested.push(request.url ?? '');
      response.end('{"data":"0x1626ba7e"}');
    });
    const wallet = await chain.deploy('ReferringWallet', [`${elsewhere.url}/{sender}/{data}`]);
    const { channelId, signRequest } = await begin(wallet);
    refused(await finish(channelId, await newKey().signMessage({ message: signRequest })), 401, wrong);
    expect(requested).toEqual([]);
  });

  test('the next RPC server in the list is used when the first one is down', async () => {
    const chains = { [anvil.chainId]: ['http://127.0.0.1:1', anvil.url] };
    await using other = await startTestServer({ CHAINS: JSON.stringify(chains) });
    const there = signInsTo(other, (await other.createGame()).gameId);
    const wallet = chain.counterfactual(newKey());
    const { channelId, signRequest } = await there.begin(wallet.address, anvil.chainId);
    const answer = await there.finish(channelId, await wallet.sign(signRequest), anvil.chainId);
    await signedIn(other, answer, wallet.address);
  });

  test('a text that names another chain is not verified on this one, and does not count as an attempt', async () => {
    const owner = newKey();
    const wallet = await chain.deploy('OwnedWallet', [owner.address]);
    const { channelId, signRequest } = await signIns.begin(wallet); // names chain 1
    const signature = await owner.signMessage({ message: signRequest });
    for (let time = 0; time < 6; time++) {
      const { error } = refused(await finish(channelId, signature), 401, wrong);
      expect(error).toBe(
        `The signRequest is for chain 1, but chainId is ${anvil.chainId}; send the same chainId with both calls`,
      );
    }
  });

  test('a wallet with a private key signs in with a text of any chain, because it is on none', async () => {
    const key = newKey();
    const { channelId, signRequest } = await signIns.begin(key.address);
    const signature = await key.signMessage({ message: signRequest });
    await signedIn(server, await finish(channelId, signature), key.address);
  });

  test('an unconfigured chain is refused, and the error names the configured ones', async () => {
    const owner = newKey();
    const { channelId, signRequest } = await begin(await chain.deploy('OwnedWallet', [owner.address]));
    const signature = await owner.signMessage({ message: signRequest });
    const { error } = refused(await signIns.finish(channelId, signature, 137), 400, 'chain_unknown');
    expect(error).toContain(String(anvil.chainId));
  });
});

function newKey() {
  return privateKeyToAccount(generatePrivateKey());
}

function asHex(text: string): Hex {
  return `0x${text.slice(2)}`;
}
