import { z } from 'zod';
import type { ContractWallets } from '../../chains/contract-wallets.ts';
import { idInput } from '../../core/schemas/ids.ts';
import { success } from '../../core/schemas/outcome.ts';
import type { Database } from '../../core/storage/database.ts';
import { GantryError } from '../../errors.ts';
import { defineOperation } from '../../operations/define.ts';
import type { Presence } from '../../presence/presence.ts';
import type { PublicUrls } from '../../public-urls.ts';
import type { UnverifiedChannel } from '../channel-session.ts';
import type { LauncherTokens } from '../launcher-token.ts';
import { announcePresence } from '../session-presence.ts';
import { beginAttempt, completeSignIn, refundAttempt } from '../sign-in-commands.ts';
import { isSignedByEoa } from '../wallet-signature.ts';
import { issueToken } from './issue-token.ts';

export const verifyUnverifiedChannel = defineOperation({
  name: 'verifyUnverifiedChannel',
  service: 'launcher',
  kind: 'sign-in',
  summary: "Finish signing in: exchange the wallet's signature for a launcherJwt",
  auth: 'sign-in',
  input: z.object({
    channelId: idInput,
    signature: z
      .string()
      .max(20_000)
      .regex(/^0x([0-9a-fA-F]{2})+$/, 'must be 0x followed by hex digits'),
    chainId: z
      .int()
      .min(0)
      .optional()
      .transform((sent) => sent || undefined)
      .meta({
        description: 'The chain a contract wallet is on, as in createUnverifiedChannel; 0 counts as left out',
      }),
  }),
  output: z.object({
    success,
    launcherJwt: z.string(),
    jwt: z.string().meta({ description: 'The same token, under the name that dispatch clients read' }),
  }),
  async handler(
    { input },
    services: {
      db: Database;
      presence: Presence;
      sessionLifetimeMs: number;
      contractWallets: ContractWallets;
      tokens: LauncherTokens;
      links: PublicUrls;
    },
  ) {
    const { db, sessionLifetimeMs } = services;
    // Counted before it is judged, so that no more than five are, however many come at once.
    const signIn = await db.write(beginAttempt, input.channelId);
    const isRight = await isSigned(signIn, input, services).catch(async (error: unknown) => {
      await db.write(refundAttempt, signIn.id); // nobody has judged it: no RPC server, an unknown chain or not the text's
      throw error;
    });
    if (!isRight) {
      throw new GantryError(
        'wallet_signature_invalid',
        'The signature does not match: sign the whole signRequest with personal_sign, with the wallet it names',
      );
    }
    const details = await db.write(completeSignIn, signIn.id, sessionLifetimeMs);
    const launcherJwt = await issueToken(details, services);
    await announcePresence(services, details.session.id);
    return { success: true, launcherJwt, jwt: launcherJwt };
  },
});

/** Checked here first, so that a wallet with a key of its own signs in while every RPC server is down. */
async function isSigned(
  { signRequest, wallet }: UnverifiedChannel,
  { signature, chainId }: { signature: string; chainId?: number | undefined },
  { contractWallets }: { contractWallets: ContractWallets },
): Promise<boolean> {
  if (await isSignedByEoa(signRequest, signature, wallet)) return true;
  return chainId !== undefined && contractWallets.isSigned(chainId, signRequest, signature, wallet);
}
