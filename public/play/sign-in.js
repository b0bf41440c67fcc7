import { post } from '../shared/api.js';

/**
 * Signs for a wallet.
 * @typedef {{
 *   wallet: string,
 *   chainId: number | undefined,
 *   sign(text: string): Promise<string>,
 * }} Signer `chainId` is set only for contract wallets
 */

/**
 * Upgrades a guest to a player with a wallet (`/docs/guests`).
 * @param {string} launcherJwt the guest's
 * @param {Signer} signer
 * @returns {Promise<string>} the `launcherJwt` of the wallet
 * @throws {Error} with a message for people
 */
export async function connectWallet(launcherJwt, { wallet, chainId, sign }) {
  const chain = chainId === undefined ? {} : { chainId };
  const { channelId, signRequest } = await post('/launcher/request-guest-upgrade', {
    launcherJwt,
    wallet,
    ...chain,
  });
  const signature = await sign(signRequest);
  const upgraded = await post('/launcher/upgrade-guest', { launcherJwt, channelId, signature, ...chain });
  return upgraded.launcherJwt;
}

/**
 * Signs in to a game or a launcher: requests an unverified channel, has its text signed, and exchanges the
 * signature for a token (README.md, "Signing in with a wallet").
 * @param {string} gameId
 * @param {Signer} signer
 * @returns {Promise<string>} the `launcherJwt`
 * @throws {Error} with a message for people
 */
export async function signIn(gameId, { wallet, chainId, sign }) {
  const chain = chainId === undefined ? {} : { chainId };
  const { channelId, signRequest } = await post('/launcher/create-unverified-channel', {
    gameId,
    wallet,
    ...chain,
  });
  const signature = await sign(signRequest);
  const { launcherJwt } = await post('/launcher/verify-unverified-channel', {
    channelId,
    signature,
    ...chain,
  });
  return launcherJwt;
}
