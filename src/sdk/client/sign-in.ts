import { callOverHttp } from './http-call.ts';
import type { OperationName, OperationOutput } from './operation-types.ts';
import type { SignedIn } from './player.ts';

/** Signs a text with the wallet, as `personal_sign` does (EIP-191). */
export type Sign = (text: string) => Promise<string>;

export interface GuestOptions {
  url: string;
  gameId: string;
  /** The secret of an existing guest; if omitted, a new player is created. */
  deviceSecret?: string | undefined;
  /** The name of a new guest. */
  username?: string | undefined;
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
  username,
}: GuestOptions): Promise<SignedIn & { deviceSecret: string }> {
  if (deviceSecret !== undefined) {
    const answer = await call(url, 'signInGuest', { gameId, deviceSecret });
    return { ...signedIn(answer), deviceSecret };
  }
  const created = await call(url, 'createGuest', { gameId, deviceName, username });
  return { ...signedIn(created), deviceSecret: created.deviceSecret };
}

/** Signs a player in with a wallet, which signs the server's sign-in text. @throws GantryError */
export async function signInWithWallet(options: WalletOptions): Promise<SignedIn> {
  const { url, gameId, wallet, sign, chainId } = options;
  const challenge = await call(url, 'createUnverifiedChannel', { gameId, wallet, chainId });
  const signature = await sign(challenge.signRequest);
  const { channelId } = challenge;
  return signedIn(await call(url, 'verifyUnverifiedChannel', { channelId, signature, chainId }));
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
  return signedIn(await call(url, 'upgradeGuest', { launcherJwt, channelId, signature, chainId }));
}

function signedIn({ launcherJwt, player, expiresAt }: Omit<SignedIn, 'wallet'>): SignedIn {
  return { launcherJwt, wallet: player.wallet, player, expiresAt };
}

function call<Name extends OperationName>(
  url: string,
  name: Name,
  data: object,
): Promise<OperationOutput<Name>> {
  return callOverHttp(url, name, data) as Promise<OperationOutput<Name>>;
}
