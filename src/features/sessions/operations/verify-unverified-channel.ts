import { z } from 'zod';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { ContractWallets } from '../../chains/contract-wallets.ts';
import { defineOperation } from '../../operation.ts';
import { completeSignIn } from '../sign-in-commands.ts';
import { signatureChain, verifySignIn, walletSignature } from '../wallet-proof.ts';
import { announceSession, type NewSessionServices, signInToken } from './new-session.ts';

export const verifyUnverifiedChannel = defineOperation({
  name: 'verifyUnverifiedChannel',
  service: 'launcher',
  kind: 'sign-in',
  summary: "Finish signing in: exchange the wallet's signature for a launcherJwt",
  auth: 'sign-in',
  input: z.object({
    channelId: idInput,
    signature: walletSignature,
    chainId: signatureChain,
  }),
  output: z.object({
    success,
    ...signInToken,
  }),
  async handler({ input }, services: NewSessionServices & { contractWallets: ContractWallets }) {
    const { db, sessionLifetimeMs } = services;
    const signIn = await verifySignIn(input, null, services);
    const details = await db.write(completeSignIn, signIn.id, sessionLifetimeMs);
    const launcherJwt = await announceSession(details, services);
    return { success: true, launcherJwt, jwt: launcherJwt };
  },
});
