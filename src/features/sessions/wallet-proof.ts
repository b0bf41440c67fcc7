import { z } from 'zod';
import { GantryError } from '../../core/errors.ts';
import { notSeen } from '../../core/schemas/seen-text.ts';
import type { Store } from '../../core/storage/store.ts';
import type { ContractWallets } from '../chains/contract-wallets.ts';
import type { UnverifiedChannel } from './channel-session.ts';
import { beginAttempt, refundAttempt } from './sign-in-commands.ts';

export const walletSignature = notSeen(
  z
    .string()
    .max(20_000)
    .regex(/^0x([0-9a-fA-F]{2})+$/, 'must be 0x followed by hex digits'),
  'secret',
);

export const signatureChain = z
  .int()
  .min(0)
  .optional()
  .transform((chainId) => chainId || undefined)
  .meta({
    description: 'Chain of a contract wallet, the same as for the signRequest; 0 is the same as omitted',
  });

/** A wallet's signature for a sign-in. */
interface Proof {
  channelId: string;
  signature: string;
  chainId?: number | undefined;
}

/**
 * Verifies a wallet's signature, and returns the sign-in it is for. `guest`: the guest to upgrade, if it is an upgrade.
 * @throws GantryError `wallet_signature_invalid`; as `beginAttempt`; as `ContractWallets.isSigned`
 */
export async function verifySignIn(
  proof: Proof,
  guest: string | null,
  services: { db: Store; contractWallets: ContractWallets },
): Promise<UnverifiedChannel> {
  const { db } = services;
  // Counted before the signature is checked, so that at most five are checked, however many arrive at once.
  const signIn = await db.write(beginAttempt, proof.channelId, guest);
  const isValid = await isSigned(signIn, proof, services).catch(async (error: unknown) => {
    await db.write(refundAttempt, signIn.id); // not checked: no RPC server, an unknown chain or not the message's chain
    throw error;
  });
  if (isValid) return signIn;
  throw new GantryError(
    'wallet_signature_invalid',
    'The signature does not match: sign the whole signRequest with personal_sign, with the wallet it names',
  );
}

/** Checked locally first, so that an externally owned account can sign in while every RPC server is down. */
async function isSigned(
  { signRequest, wallet }: UnverifiedChannel,
  { signature, chainId }: Proof,
  { contractWallets }: { contractWallets: ContractWallets },
): Promise<boolean> {
  const { isSignedByEoa } = await import('./wallet-signature.ts'); // loads the curve on the first sign-in
  if (isSignedByEoa(signRequest, signature, wallet)) return true;
  return chainId !== undefined && contractWallets.isSigned(chainId, signRequest, signature, wallet);
}
