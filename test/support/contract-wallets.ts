import {
  type Address,
  createPublicClient,
  createWalletClient,
  encodeDeployData,
  encodeFunctionData,
  getCreate2Address,
  type Hex,
  http,
  serializeErc6492Signature,
  toHex,
} from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { contractsOf } from './solidity.ts';

/** A wallet that is deployed only when its owner first needs it, and can sign before that (ERC-6492). */
export interface CounterfactualWallet {
  address: Address;
  /** Signs as ERC-6492 specifies: the owner's signature, wrapped with the deployment call of the wallet. */
  sign(message: string, signer?: PrivateKeyAccount): Promise<Hex>;
  deploy(): Promise<void>;
}

/** Contract wallets on a real chain. */
export interface WalletChain {
  /** Deploys one of `contracts/wallets.sol`. */
  deploy(name: string, args?: readonly unknown[]): Promise<Address>;
  counterfactual(owner: PrivateKeyAccount): CounterfactualWallet;
  isDeployed(address: Address): Promise<boolean>;
}

/** `rpcUrl`: a node with a funded account. */
export async function walletsOn(rpcUrl: string): Promise<WalletChain> {
  const contract = await contractsOf(new URL('contracts/wallets.sol', import.meta.url));
  const client = createPublicClient({ transport: http(rpcUrl), pollingInterval: 20 });
  const [account] = await createWalletClient({ transport: http(rpcUrl) }).getAddresses();
  if (!account) throw new Error('the node has no account');
  const payer = createWalletClient({ account, transport: http(rpcUrl) });

  async function deploy(name: string, args: readonly unknown[] = []): Promise<Address> {
    const hash = await payer.deployContract({ ...contract(name), args, chain: null });
    const { contractAddress } = await client.waitForTransactionReceipt({ hash });
    if (!contractAddress) throw new Error(`${name} was not deployed`);
    return contractAddress;
  }

  const factory = await deploy('WalletFactory');
  const { abi } = contract('WalletFactory');
  return {
    deploy,
    isDeployed: async (address) => (await client.getCode({ address })) !== undefined,
    counterfactual(owner) {
      const salt = toHex(crypto.getRandomValues(new Uint8Array(32)));
      const args = [owner.address, salt];
      const data = encodeFunctionData({ abi, functionName: 'deploy', args });
      const bytecode = encodeDeployData({ ...contract('OwnedWallet'), args: [owner.address] });
      return {
        address: getCreate2Address({ from: factory, salt, bytecode }),
        sign: async (message, signer = owner) =>
          serializeErc6492Signature({
            address: factory,
            data,
            signature: await signer.signMessage({ message }),
          }),
        async deploy() {
          const hash = await payer.sendTransaction({ to: factory, data, chain: null });
          await client.waitForTransactionReceipt({ hash });
        },
      };
    },
  };
}
