import { z } from 'zod';
import { isSignedByEoa } from '../../auth/wallet-signature.ts';
import { idInput } from '../../domain/ids.ts';
import { success } from '../../domain/outcome.ts';
import { GantryError } from '../../errors.ts';
import { defineOperation } from '../define.ts';
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
      .regex(/^0x([0-9a-f]{2})+$/i, 'must be 0x followed by hex digits'),
    chainId: z.int().min(1).optional(),
  }),
  output: z.object({
    success,
    launcherJwt: z.string(),
    jwt: z.string().meta({ description: 'The same token, under the name that dispatch clients read' }),
  }),
  async handler({ input }, services) {
    const { store, sessionLifetimeMs } = services;
    const signIn = await store.sessions.beginAttempt(input.channelId);
    if (!(await isSignedByEoa(signIn.signRequest, input.signature, signIn.wallet))) {
      if (input.chainId !== undefined) {
        throw new GantryError(
          'contract_wallet_unsupported',
          'The signature is not that of a wallet with a key of its own, and this server cannot check contract wallets',
        );
      }
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
