import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';

/** A wallet with its own key, as in a player's wallet program. */
export interface TestWallet {
  /** In mixed case, with the checksum of EIP-55. */
  address: string;
  lowercase: string;
  /** Signs as `personal_sign` does (EIP-191). */
  sign(message: string): Promise<string>;
}

export function newWallet(
  account: PrivateKeyAccount = privateKeyToAccount(generatePrivateKey()),
): TestWallet {
  return {
    address: account.address,
    lowercase: account.address.toLowerCase(),
    sign: (message) => account.signMessage({ message }),
  };
}

const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** The same signature in its other form, with s as n − s: it recovers to the same address (EIP-2). */
export function malleated(signature: string): string {
  const s = BigInt(`0x${signature.slice(66, 130)}`);
  const v = signature.slice(130) === '1b' ? '1c' : '1b';
  return `${signature.slice(0, 66)}${(curveOrder - s).toString(16).padStart(64, '0')}${v}`;
}
