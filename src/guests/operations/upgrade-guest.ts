import { z } from 'zod';
import type { ContractWallets } from '../../chains/contract-wallets.ts';
import { normalizedAddress } from '../../core/schemas/address.ts';
import { idInput } from '../../core/schemas/ids.ts';
import { success } from '../../core/schemas/outcome.ts';
import type { Database } from '../../core/storage/database.ts';
import { defineOperation } from '../../operations/define.ts';
import { ownerOf } from '../../operations/owner.ts';
import type { Presence } from '../../presence/presence.ts';
import type { PublicUrls } from '../../public-urls.ts';
import type { LauncherTokens } from '../../sessions/launcher-token.ts';
import { issueToken } from '../../sessions/operations/issue-token.ts';
import { announcePresence } from '../../sessions/session-presence.ts';
import { provenSignIn, signatureChain, walletSignature } from '../../sessions/wallet-proof.ts';
import type { UpgradeGuest } from '../upgrade.ts';
import { requireGuestCaller } from './require-guest-caller.ts';

export const upgradeGuest = defineOperation({
  name: 'upgradeGuest',
  service: 'launcher',
  kind: 'sign-in',
  summary:
    "Give this player a wallet, with everything kept: exchange the wallet's signature for a launcherJwt",
  auth: 'player',
  input: z.object({ channelId: idInput, signature: walletSignature, chainId: signatureChain }),
  output: z.object({
    success,
    wallet: normalizedAddress,
    launcherJwt: z.string(),
    jwt: z.string().meta({ description: 'The same token, under the name that dispatch clients read' }),
  }),
  async handler(
    { input, caller },
    services: {
      db: Database;
      presence: Presence;
      sessionLifetimeMs: number;
      contractWallets: ContractWallets;
      upgradeGuest: UpgradeGuest;
      tokens: LauncherTokens;
      links: PublicUrls;
    },
  ) {
    requireGuestCaller(caller);
    const { db, sessionLifetimeMs } = services;
    const signIn = await provenSignIn(input, caller.wallet, services);
    const details = await db.write(services.upgradeGuest, ownerOf(caller), signIn.id, sessionLifetimeMs);
    const launcherJwt = await issueToken(details, services);
    await announcePresence(services, details.session.id);
    return { success: true, wallet: details.player.wallet, launcherJwt, jwt: launcherJwt };
  },
});
