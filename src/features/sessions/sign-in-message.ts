import { randomBytes } from 'node:crypto';
import * as Address from 'ox/Address';
import { z } from 'zod';

/** How long a wallet has to sign, in milliseconds. */
export const signInLifetimeMs = 10 * 60 * 1000;

export const signInChain = z
  .int()
  .min(0)
  .default(1)
  .transform((chainId) => chainId || 1)
  .meta({
    description: 'Chain of a contract wallet; 1 for all other wallets, and when omitted or 0',
  });

/** The text a wallet signs to sign in (EIP-4361), bound to this server and this channel, and valid for ten minutes. */
export function signInMessage(request: {
  wallet: string;
  gameName: string;
  /** The guest to upgrade; omitted: the wallet signs in. */
  guest?: string;
  channelId: string;
  chainId: number;
  /** Where the player signs in, absolute; its host is the message's domain. */
  uri: string;
  now: number;
}): string {
  const statement = request.guest
    ? `Keep the player ${request.guest} of ${printable(request.gameName)} with this wallet.`
    : `Sign in to play ${printable(request.gameName)}.`;
  // Built by hand: libraries reject hosts such as `gantry:3000` and `[::1]`, which EIP-4361 allows.
  return [
    `${new URL(request.uri).host} wants you to sign in with your Ethereum account:`,
    Address.checksum(request.wallet as Address.Address),
    '',
    statement,
    '',
    `URI: ${request.uri}`,
    'Version: 1',
    `Chain ID: ${request.chainId}`,
    `Nonce: ${randomBytes(16).toString('hex')}`,
    `Issued At: ${new Date(request.now).toISOString()}`,
    `Expiration Time: ${new Date(request.now + signInLifetimeMs).toISOString()}`,
    'Resources:',
    `- urn:uuid:${request.channelId}`,
  ].join('\n');
}

/** EIP-4361's statement allows no line break and only printable ASCII. */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '').trim() || 'this game';
}
