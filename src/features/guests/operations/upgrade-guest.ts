import { z } from 'zod';
import { normalizedAddress } from '../../../core/schemas/address.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { ContractWallets } from '../../chains/contract-wallets.ts';
import { defineOperation } from '../../operation.ts';
import { ownerOf } from '../../owner.ts';
import { announceSession, type NewSessionServices, signInToken } from '../../sessions/new-session.ts';
import { signatureChain, verifySignIn, walletSignature } from '../../sessions/wallet-proof.ts';
import type { UpgradeGuest } from '../upgrade.ts';
import { requireOwner } from './require-own-device.ts';

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
    ...signInToken,
  }),
  async handler(
    { input, caller },
    services: NewSessionServices & { contractWallets: ContractWallets; upgradeGuest: UpgradeGuest },
  ) {
    const { db, sessionLifetimeMs } = services;
    await requireOwner(caller, db);
    const signIn = await verifySignIn(input, caller.wallet, services);
    const details = await db.write(services.upgradeGuest, ownerOf(caller), signIn.id, sessionLifetimeMs);
    const launcherJwt = await announceSession(details, services);
    return { success: true, wallet: details.player.wallet, launcherJwt, jwt: launcherJwt };
  },
});
