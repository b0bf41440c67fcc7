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
    description: 'Chain id of a contract wallet; 1 for other wallets, when omitted and when 0',
  });

/**
 * The text a wallet signs to sign in, bound to this server and this channel, and valid for ten minutes. Wallets warn of
 * a text outside of EIP-4361's grammar, or do not recognize it.
 */
export async function signInMessage(request: {
  wallet: string;
  gameName: string;
  /** The guest to upgrade; omitted: the wallet signs in. */
  guest?: string;
  channelId: string;
  chainId: number;
  /** Where the player signs in, absolute; its host is the message's domain. */
  uri: string;
  now: number;
}): Promise<string> {
  const game = (await inStatement(request.gameName)) || 'this game';
  const statement = request.guest
    ? `Keep the player ${request.guest} of ${game} with this wallet.`
    : `Sign in to play ${game}.`;
  const { host, href } = new URL(request.uri); // in ASCII, and with the path without which some parsers read no URI
  // Built by hand: libraries reject hosts such as `gantry:3000` and `[::1]`, which EIP-4361 allows.
  return [
    `${host} wants you to sign in with your Ethereum account:`,
    Address.checksum(request.wallet as Address.Address),
    '',
    statement,
    '',
    `URI: ${href}`,
    'Version: 1',
    `Chain ID: ${request.chainId}`,
    `Nonce: ${randomBytes(16).toString('hex')}`,
    `Issued At: ${new Date(request.now).toISOString()}`,
    `Expiration Time: ${new Date(request.now + signInLifetimeMs).toISOString()}`,
    'Resources:',
    `- urn:uuid:${request.channelId}`,
  ].join('\n');
}

/** ASCII characters outside of what a statement may contain, and what replaces them; the others are left out. */
const replacements: Readonly<Record<string, string>> = {
  '"': "'",
  '`': "'",
  '\\': '/',
  '|': '/',
  '<': '(',
  '{': '(',
  '>': ')',
  '}': ')',
};

/**
 * The text in the characters of a statement, which are those of RFC 3986's `reserved` and `unreserved`, and spaces;
 * other scripts are transliterated. Empty when nothing is left, as of emoji.
 */
async function inStatement(text: string): Promise<string> {
  return (await inAscii(text.replace(/\p{RGI_Emoji}/gv, ' ')))
    .replace(/["`\\|<{>}]/g, (character) => replacements[character] ?? '')
    .replace(/[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;= ]/g, '')
    .replace(/ {2,}/g, ' ')
    .trim();
}

async function inAscii(text: string): Promise<string> {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
  if (/^[\x00-\x7f]*$/.test(text)) return text;
  const { default: anyAscii } = await import('any-ascii'); // large, and seldom needed
  return anyAscii(text);
}
