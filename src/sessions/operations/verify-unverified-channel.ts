import { z } from 'zod';
import type { ContractWallets } from '../../chains/contract-wallets.ts';
import { idInput } from '../../core/schemas/ids.ts';
import { success } from '../../core/schemas/outcome.ts';
import type { Database } from '../../core/storage/database.ts';
import { defineOperation } from '../../operations/define.ts';
import type { Presence } from '../../presence/presence.ts';
import type { PublicUrls } from '../../public-urls.ts';
import type { LauncherTokens } from '../launcher-token.ts';
import { announcePresence } from '../session-presence.ts';
import { completeSignIn } from '../sign-in-commands.ts';
import { provenSignIn, signatureChain, walletSignature } from '../wallet-proof.ts';
import { issueToken } from './issue-token.ts';

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
    const signIn = await provenSignIn(input, null, services);
    const details = await db.write(completeSignIn, signIn.id, sessionLifetimeMs);
    const launcherJwt = await issueToken(details, services);
    await announcePresence(services, details.session.id);
    return { success: true, launcherJwt, jwt: launcherJwt };
  },
});
