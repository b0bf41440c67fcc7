import { z } from 'zod';
import type { ContractWallets } from '../chains/contract-wallets.ts';
import type { Database } from '../core/storage/database.ts';
import { GantryError } from '../errors.ts';
import type { UnverifiedChannel } from './channel-session.ts';
import { beginAttempt, refundAttempt } from './sign-in-commands.ts';

export const walletSignature = z
  .string()
  .max(20_000)
  .regex(/^0x([0-9a-fA-F]{2})+$/, 'must be 0x followed by hex digits');

export const signatureChain = z
  .int()
  .min(0)
  .optional()
  .transform((sent) => sent || undefined)
  .meta({
    description:
      'The chain a contract wallet is on, as it was given for the signRequest; 0 counts as left out',
  });

/** What a wallet has signed. */
interface Proof {
  channelId: string;
  signature: string;
  chainId?: number | undefined;
}

/**
 * The sign-in that a wallet's signature is for. `guest`: who is to have the wallet, when it is for that.
 * @throws GantryError `wallet_signature_invalid`; as `beginAttempt`; as `ContractWallets.isSigned`
 */
export async function provenSignIn(
  proof: Proof,
  guest: string | null,
  services: { db: Database; contractWallets: ContractWallets },
): Promise<UnverifiedChannel> {
  const { db } = services;
  // Counted before it is judged, so that no more than five are, however many come at once.
  const signIn = await db.write(beginAttempt, proof.channelId, guest);
  const isRight = await isSigned(signIn, proof, services).catch(async (error: unknown) => {
    await db.write(refundAttempt, signIn.id); // nobody has judged it: no RPC server, an unknown chain or not the text's
    throw error;
  });
  if (isRight) return signIn;
  throw new GantryError(
    'wallet_signature_invalid',
    'The signature does not match: sign the whole signRequest with personal_sign, with the wallet it names',
  );
}

/** Checked here first, so that a wallet with a key of its own signs in while every RPC server is down. */
async function isSigned(
  { signRequest, wallet }: UnverifiedChannel,
  { signature, chainId }: Proof,
  { contractWallets }: { contractWallets: ContractWallets },
): Promise<boolean> {
  const { isSignedByEoa } = await import('./wallet-signature.ts'); // the curve is loaded with the first sign-in
  if (isSignedByEoa(signRequest, signature, wallet)) return true;
  return chainId !== undefined && contractWallets.isSigned(chainId, signRequest, signature, wallet);
}
