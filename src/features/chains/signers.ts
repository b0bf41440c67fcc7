import { readFileSync } from 'node:fs';
import type { PrivateKeyAccount } from 'viem/accounts';
import { ConfigError } from '../../core/config-error.ts';
import type { TransactionSettings } from './transaction-settings.ts';

/** The signing keys of rules: only in memory, never in the database or a log. */
export class Signers {
  readonly #byName = new Map<string, PrivateKeyAccount>();

  private constructor() {}

  /** @throws ConfigError */
  static async open({
    signers,
    keystore,
  }: Pick<TransactionSettings, 'signers' | 'keystore'>): Promise<Signers> {
    const opened = new Signers();
    const keys = Object.entries(signers);
    if (keys.length === 0 && !keystore) return opened; // most servers have none, and viem is slow to load
    const { privateKeyToAccount } = await import('viem/accounts');
    for (const [name, key] of keys) opened.#add(name, () => privateKeyToAccount(key));
    if (keystore) {
      const { openKeystore } = await import('./keystore.ts');
      opened.#add('keystore', () =>
        privateKeyToAccount(openKeystore(readFileSync(keystore.file, 'utf8'), keystore.password)),
      );
    }
    return opened;
  }

  /** Addresses by name, lowercase. */
  addresses(): Record<string, string> {
    return Object.fromEntries([...this.#byName].map(([name, { address }]) => [name, address.toLowerCase()]));
  }

  withAddress(address: string): PrivateKeyAccount | undefined {
    return [...this.#byName.values()].find((account) => account.address.toLowerCase() === address);
  }

  #add(name: string, make: () => PrivateKeyAccount): void {
    let account: PrivateKeyAccount;
    try {
      account = make();
    } catch (error) {
      // Only messages of keystore.ts are known not to contain the key.
      const why = name === 'keystore' && error instanceof Error ? error.message : 'its key is invalid';
      throw new ConfigError(`The signer ${name} cannot be used: ${why}`);
    }
    if (this.withAddress(account.address.toLowerCase())) {
      throw new ConfigError(`The signer ${name} has the same key as another signer`);
    }
    this.#byName.set(name, account);
  }
}
