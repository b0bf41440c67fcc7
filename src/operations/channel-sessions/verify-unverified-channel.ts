import { z } from 'zod';
import { isSignedByEoa } from '../../auth/wallet-signature.ts';
import type { UnverifiedChannel } from '../../domain/channel-session.ts';
import { idInput } from '../../domain/ids.ts';
import { success } from '../../domain/outcome.ts';
import { GantryError } from '../../errors.ts';
import { defineOperation, type Services } from '../define.ts';
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
    chainId: z.int().min(1).optional(),
  }),
  output: z.object({
    success,
    launcherJwt: z.string(),
    jwt: z.string().meta({ description: 'The same token, under the name that dispatch clients read' }),
  }),
  async handler({ input }, services) {
    const { store, sessionLifetimeMs } = services;
    // Counted before it is judged, so that no more than five are, however many come at once.
    const signIn = await store.sessions.beginAttempt(input.channelId);
    const isRight = await isSigned(signIn, input, services).catch(async (error: unknown) => {
      await store.sessions.giveBackAttempt(signIn.id); // nobody could judge it: no RPC server, or an unknown chain
      throw error;
    });
    if (!isRight) {
      throw new GantryError(
        'wallet_signature_invalid',
        'The signature does not match: sign the whole signRequest with personal_sign, with the wallet it names',
      );
    }
    const details = await store.sessions.completeSignIn(signIn.id, sessionLifetimeMs);
    const launcherJwt = await issueToken(details, services);
    return { success: true, launcherJwt, jwt: launcherJwt };
  },
});

/** Checked here first, so that a wallet with a key of its own signs in while every RPC server is down. */
async function isSigned(
  { signRequest, wallet }: UnverifiedChannel,
  { signature, chainId }: { signature: string; chainId?: number | undefined },
  { contractWallets }: Services,
): Promise<boolean> {
  if (await isSignedByEoa(signRequest, signature, wallet)) return true;
  return chainId !== undefined && contractWallets.isSigned(chainId, signRequest, signature, wallet);
}
