import { callOverHttp, type GameServer } from './http-call.ts';
import type { OperationName, OperationOutput } from './operation-types.ts';
import type { SignedIn } from './player.ts';

/** Signs a text with the wallet, as `personal_sign` does (EIP-191). */
export type Sign = (text: string) => Promise<string>;

export interface GuestOptions extends GameServer {
  gameId: string;
  /** The secret of an existing guest; if omitted, a new player is created. */
  deviceSecret?: string | undefined;
  /** The name of a new guest. */
  username?: string | undefined;
  /** This device's name in the player's list of devices. */
  deviceName?: string | undefined;
}

export interface WalletOptions extends GameServer {
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
  gameId,
  deviceSecret,
  deviceName,
  username,
  ...server
}: GuestOptions): Promise<SignedIn & { deviceSecret: string }> {
  if (deviceSecret !== undefined) {
    const answer = await call(server, 'signInGuest', { gameId, deviceSecret });
    return { ...signedIn(answer), deviceSecret };
  }
  const created = await call(server, 'createGuest', { gameId, deviceName, username });
  return { ...signedIn(created), deviceSecret: created.deviceSecret };
}

/** Signs a player in with a wallet, which signs the server's sign-in text. @throws GantryError */
export async function signInWithWallet(options: WalletOptions): Promise<SignedIn> {
  const { gameId, wallet, sign, chainId } = options;
  const challenge = await call(options, 'createUnverifiedChannel', { gameId, wallet, chainId });
  const signature = await sign(challenge.signRequest);
  const { channelId } = challenge;
  return signedIn(await call(options, 'verifyUnverifiedChannel', { channelId, signature, chainId }));
}

/**
 * Upgrades a guest to a player with a wallet, who keeps all of the guest's data; the guest's sessions end.
 * @throws GantryError
 */
export async function upgradeGuest({
  launcherJwt,
  wallet,
  sign,
  chainId,
  ...server
}: Omit<WalletOptions, 'gameId'> & { launcherJwt: string }): Promise<SignedIn> {
  const challenge = await call(server, 'requestGuestUpgrade', { launcherJwt, wallet, chainId });
  const signature = await sign(challenge.signRequest);
  const { channelId } = challenge;
  return signedIn(await call(server, 'upgradeGuest', { launcherJwt, channelId, signature, chainId }));
}

function signedIn({ launcherJwt, player, expiresAt }: Omit<SignedIn, 'wallet'>): SignedIn {
  return { launcherJwt, wallet: player.wallet, player, expiresAt };
}

function call<Name extends OperationName>(
  server: GameServer,
  name: Name,
  data: object,
): Promise<OperationOutput<Name>> {
  return callOverHttp(server, name, data) as Promise<OperationOutput<Name>>;
}
