import { type ClientOptions, GantryClient } from './gantry-client.ts';
import { callOverHttp } from './http-call.ts';
import type { OperationName, OperationOutput } from './operation-types.ts';
import { localStorageStore, type Store } from './store.ts';

/** Signs a text as the wallet does with `personal_sign` (EIP-191). */
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
  /** Of a guest there is: left out, a new player is made. */
  deviceSecret?: string | undefined;
  /** How the player's list of devices calls this one. */
  deviceName?: string | undefined;
}

export interface WalletOptions {
  url: string;
  gameId: string;
  /** The address that signs. */
  wallet: string;
  sign: Sign;
  /** Of a contract wallet: the chain it is on. */
  chainId?: number | undefined;
}

/** Makes a player without a wallet, or signs one in. Keep the `deviceSecret`: who has it is the player. @throws GantryError */
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
  const made = await call(url, 'createGuest', { gameId, deviceName });
  return { launcherJwt: made.launcherJwt, wallet: made.wallet, deviceSecret: made.deviceSecret };
}

/** Signs a player in with a wallet, which is asked to sign a text that says so. @throws GantryError */
export async function signInWithWallet(options: WalletOptions): Promise<SignedIn> {
  const { url, gameId, wallet, sign, chainId } = options;
  const asked = await call(url, 'createUnverifiedChannel', { gameId, wallet, chainId });
  const signature = await sign(asked.signRequest);
  const { channelId } = asked;
  const { launcherJwt } = await call(url, 'verifyUnverifiedChannel', { channelId, signature, chainId });
  return { launcherJwt, wallet: wallet.toLowerCase() };
}

/** Gives a guest a wallet, with everything the guest has; the guest's sessions end. @throws GantryError */
export async function upgradeGuest({
  url,
  launcherJwt,
  wallet,
  sign,
  chainId,
}: Omit<WalletOptions, 'gameId'> & { launcherJwt: string }): Promise<SignedIn> {
  const asked = await call(url, 'requestGuestUpgrade', { launcherJwt, wallet, chainId });
  const signature = await sign(asked.signRequest);
  const { channelId } = asked;
  return call(url, 'upgradeGuest', { launcherJwt, channelId, signature, chainId });
}

/**
 * Signs in as the guest of the store, or as a new one, and connects. Without a `store`, a browser keeps the guest in
 * `localStorage`, and elsewhere the guest ends with the program. @throws GantryError
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
