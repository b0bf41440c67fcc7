import { type Address, createPublicClient, createWalletClient, type Hex, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { type Anvil, startAnvil } from './anvil.ts';
import { contractsOf } from './solidity.ts';

/** Anvil's first account, which is funded; its key is in Foundry's manual. */
export const signerKey = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
/** Anvil's second account. */
const deployerKey = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d';

export type ContractName = 'Token' | 'Pass' | 'Achievements' | 'Board' | 'GreedyWallet';

/** A chain with the contracts of `contracts/rules.sol`, and a funded signer. */
export interface RulesChain extends AsyncDisposable {
  anvil: Anvil;
  chainId: number;
  signer: Address;
  addresses: Readonly<Record<ContractName, Address>>;
  read(name: ContractName, functionName: string, args?: readonly unknown[]): Promise<unknown>;
  write(name: ContractName, functionName: string, args?: readonly unknown[]): Promise<void>;
  /** The signer's transactions in all blocks, in order. */
  mined(): Promise<{ nonce: number; hash: Hex; to: Address | null; input: Hex }[]>;
  rpc(method: string, params?: readonly unknown[]): Promise<unknown>;
  /** The settings that make a server use it. */
  variables: Record<string, string>;
}

export async function startRulesChain(options: readonly string[] = []): Promise<RulesChain> {
  const anvil = await startAnvil(options);
  const artifact = await contractsOf(new URL('contracts/rules.sol', import.meta.url));
  const client = createPublicClient({ transport: http(anvil.url), pollingInterval: 20, cacheTime: 0 });
  const deployer = createWalletClient({
    account: privateKeyToAccount(deployerKey),
    transport: http(anvil.url),
  });
  const deploy = async (name: ContractName, args: readonly unknown[] = []) => {
    const hash = await deployer.deployContract({ ...artifact(name), args, chain: null });
    const { contractAddress } = await client.waitForTransactionReceipt({ hash });
    if (!contractAddress) throw new Error(`${name} was not deployed`);
    return contractAddress;
  };
  const addresses = {
    Token: await deploy('Token', [18]),
    Achievements: await deploy('Achievements'),
    Pass: await deploy('Pass'),
    Board: await deploy('Board'),
    GreedyWallet: await deploy('GreedyWallet'),
  };
  const signer = privateKeyToAccount(signerKey).address;
  const rpc = (method: string, params: readonly unknown[] = []) =>
    client.request({ method, params } as never) as Promise<unknown>;
  return {
    anvil,
    chainId: anvil.chainId,
    signer,
    addresses,
    rpc,
    read: (name, functionName, args = []) =>
      client.readContract({ address: addresses[name], abi: artifact(name).abi, functionName, args }),
    async write(name, functionName, args = []) {
      const hash = await deployer.writeContract({
        address: addresses[name],
        abi: artifact(name).abi,
        functionName,
        args,
        chain: null,
      });
      await client.waitForTransactionReceipt({ hash });
    },
    async mined() {
      const head = await client.getBlockNumber();
      const blocks = await Promise.all(
        Array.from({ length: Number(head) + 1 }, (_, at) =>
          client.getBlock({ blockNumber: BigInt(at), includeTransactions: true }),
        ),
      );
      return blocks
        .flatMap(({ transactions }) => transactions)
        .filter(({ from }) => from.toLowerCase() === signer.toLowerCase())
        .map(({ nonce, hash, to, input }) => ({ nonce, hash, to, input }));
    },
    variables: {
      CHAINS: JSON.stringify({ [anvil.chainId]: [anvil.url] }),
      SIGNERS: JSON.stringify({ default: signerKey }),
      CHAIN_CONFIRMATIONS: '1',
      CHAIN_POLL_MS: '50',
    },
    [Symbol.asyncDispose]: () => anvil[Symbol.asyncDispose](),
  };
}

/** Limits that no test reaches. */
export function generousSpending(chain: RulesChain) {
  const most = '9'.repeat(60);
  const limit = (contract: string) => ({
    chainId: chain.chainId,
    contract: contract.toLowerCase(),
    perDay: most,
    perPlayerPerDay: most,
  });
  return {
    transactionsPerDay: 1_000_000,
    transactionsPerPlayerPerDay: 1_000_000,
    tokens: [limit(chain.addresses.Token), limit(chain.addresses.Achievements)],
  };
}
