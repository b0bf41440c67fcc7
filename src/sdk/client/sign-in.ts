import type { ClientOptions } from './client-options.ts';
import { GantryClient } from './gantry-client.ts';
import { callOverHttp } from './http-call.ts';
import type { OperationName, OperationOutput } from './operation-types.ts';
import { localStorageStore, type Store } from './store.ts';

/** Signs a text with the wallet, as `personal_sign` does (EIP-191). */
export type Sign = (text: string) => Promise<string>;

/** A player's session in a game. */
export interface SignedIn {
  launcherJwt: string;
  /** The player's address. */
  wallet: string;
}

export interface GuestOptions {
  url: string;
  gameId: string;
  /** The secret of an existing guest; if omitted, a new player is created. */
  deviceSecret?: string | undefined;
  /** This device's name in the player's list of devices. */
  deviceName?: string | undefined;
}

export interface WalletOptions {
  url: string;
  gameId: string;
  /** The address of the signing wallet. */
  wallet: string;
  sign: Sign;
  /** The chain of a contract wallet. */
  chainId?: number | undefined;
}

/**
 * Creates a guest, or signs one in. Store the `deviceSecret` securely: it authenticates the player.
 * @throws GantryError
 */
export async function signInAsGuest({
  url,
  gameId,
  deviceSecret,
  deviceName,
}: GuestOptions): Promise<SignedIn & { deviceSecret: string }> {
  if (deviceSecret !== undefined) {
    const { launcherJwt, wallet } = await call(url, 'signInGuest', { gameId, deviceSecret });
    return { launcherJwt, wallet, deviceSecret };
  }
  const created = await call(url, 'createGuest', { gameId, deviceName });
  return {
    launcherJwt: created.launcherJwt,
    wallet: created.wallet,
    deviceSecret: created.deviceSecret,
  };
}

/** Signs a player in with a wallet, which signs the server's sign-in text. @throws GantryError */
export async function signInWithWallet(options: WalletOptions): Promise<SignedIn> {
  const { url, gameId, wallet, sign, chainId } = options;
  const challenge = await call(url, 'createUnverifiedChannel', { gameId, wallet, chainId });
  const signature = await sign(challenge.signRequest);
  const { channelId } = challenge;
  const { launcherJwt } = await call(url, 'verifyUnverifiedChannel', { channelId, signature, chainId });
  return { launcherJwt, wallet: wallet.toLowerCase() };
}

/**
 * Upgrades a guest to a player with a wallet, who keeps all of the guest's data; the guest's sessions end.
 * @throws GantryError
 */
export async function upgradeGuest({
  url,
  launcherJwt,
  wallet,
  sign,
  chainId,
}: Omit<WalletOptions, 'gameId'> & { launcherJwt: string }): Promise<SignedIn> {
  const challenge = await call(url, 'requestGuestUpgrade', { launcherJwt, wallet, chainId });
  const signature = await sign(challenge.signRequest);
  const { channelId } = challenge;
  return call(url, 'upgradeGuest', { launcherJwt, channelId, signature, chainId });
}

/**
 * Signs in as the guest in the store, or as a new one, and connects. Without a `store`, a browser keeps the guest in
 * `localStorage`; elsewhere the guest is lost when the program ends. @throws GantryError
 */
export async function connectAsGuest(options: ClientOptions & GuestOptions): Promise<GantryClient> {
  const { url, gameId, deviceName } = options;
  const store = options.store ?? defaultStore(`gantry:${url}:${gameId}`);
  const saved = store.load() ?? {};
  const signedIn = await signInAsGuest({
    url,
    gameId,
    deviceName,
    deviceSecret: options.deviceSecret ?? saved.deviceSecret,
  });
  const { launcherJwt, deviceSecret } = signedIn;
  store.save({ ...saved, deviceSecret });
  return connected(new GantryClient({ ...options, store, launcherJwt }));
}

/** Signs in with a wallet and connects. @throws GantryError */
export async function connectWithWallet(options: ClientOptions & WalletOptions): Promise<GantryClient> {
  const { launcherJwt } = await signInWithWallet(options);
  return connected(new GantryClient({ ...options, launcherJwt }));
}

async function connected(client: GantryClient): Promise<GantryClient> {
  try {
    await client.ready();
  } catch (error) {
    client.close();
    throw error;
  }
  return client;
}

function defaultStore(key: string): Store {
  if (typeof document === 'object') return localStorageStore(key);
  return { load: () => null, save: () => undefined };
}

function call<Name extends OperationName>(
  url: string,
  name: Name,
  data: object,
): Promise<OperationOutput<Name>> {
  return callOverHttp(url, name, data) as Promise<OperationOutput<Name>>;
}
