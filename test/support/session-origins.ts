import type { PrivateKeyAccount } from 'viem/accounts';
import { z } from 'zod';
import { post } from './http.ts';
import { signedIn, signInsTo } from './sign-in.ts';
import { bearer, type World } from './world.ts';

/** A player, with what signs the player in. */
export interface OpenedFor {
  wallet: string;
  /** Of a player with a wallet. */
  key?: PrivateKeyAccount;
  /** Of a guest with a device. */
  deviceSecret?: string;
  /** Of a player whom the game's server vouches for. */
  playerId?: string;
}

/**
 * The ways to open a session, through the API only; each returns the token of a new session. In the world's game unless
 * the name says otherwise.
 */
export const origins = {
  'a wallet': ({ server, gameId }, player) => bySignature(server.url, gameId, player),
  'a wallet, in the launcher': ({ server, launcherGameId }, player) =>
    bySignature(server.url, launcherGameId, player),
  'a device': ({ server, gameId }, player) => byDevice(server.url, gameId, player),
  'a device, in the launcher': ({ server, launcherGameId }, player) =>
    byDevice(server.url, launcherGameId, player),
  'a launcher': async (world, player) => {
    const { server, launcherGameId, gameId } = world;
    const sign = player.key ? bySignature : byDevice;
    const launcherJwt = await sign(server.url, launcherGameId, player);
    return opened(`${server.url}/launcher/open-channel-session`, { launcherJwt, gameId });
  },
  "the game's server": ({ server, gameSecret }, { wallet }) =>
    opened(`${server.url}/launcher/open-channel-session`, { wallet }, bearer(gameSecret)),
  "another game's server": ({ server, otherGameSecret }, { wallet }) =>
    opened(`${server.url}/launcher/open-channel-session`, { wallet }, bearer(otherGameSecret)),
  vouching: ({ server, gameSecret }, { playerId }) =>
    opened(`${server.url}/launcher/vouch-for-player`, { playerId }, bearer(gameSecret)),
  'an administrator': ({ server, gameId }, { wallet }) =>
    opened(`${server.url}/admin/open-session`, { gameId, wallet }, bearer(server.adminToken)),
  'an administrator, in the launcher': ({ server, launcherGameId: gameId }, { wallet }) =>
    opened(`${server.url}/admin/open-session`, { gameId, wallet }, bearer(server.adminToken)),
} as const satisfies Record<string, (world: World, player: OpenedFor) => Promise<string>>;
export type Origin = keyof typeof origins;

const token = z.looseObject({ launcherJwt: z.string() });

export async function opened(
  url: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<string> {
  return token.parse((await post(url, body, headers)).body).launcherJwt;
}

async function bySignature(url: string, gameId: string, { key }: OpenedFor): Promise<string> {
  if (!key) throw new Error('this player has no wallet');
  const signIns = signInsTo({ url }, gameId);
  const { channelId, signRequest: message } = await signIns.begin(key.address);
  return signedIn({ url }, await signIns.finish(channelId, await key.signMessage({ message })), key.address);
}

function byDevice(url: string, gameId: string, { deviceSecret }: OpenedFor): Promise<string> {
  return opened(`${url}/launcher/sign-in-guest`, { gameId, deviceSecret });
}
