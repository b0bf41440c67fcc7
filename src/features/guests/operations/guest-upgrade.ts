import { z } from 'zod';
import { GantryError } from '../../../core/errors.ts';
import type { PublicUrls } from '../../../core/public-urls.ts';
import { id, idInput, normalizedAddress, success, walletInput } from '../../../core/schemas/fields.ts';
import { newId } from '../../../core/schemas/ids.ts';
import type { Store } from '../../../core/storage/store.ts';
import type { ContractWallets } from '../../chains/contract-wallets.ts';
import { defineOperation, ownerOf } from '../../operation.ts';
import { findPlayer } from '../../players/queries.ts';
import { checkSignIn } from '../../sessions/checked-sign-in.ts';
import { type NewSessionServices, signedIn, signInOutput } from '../../sessions/new-session.ts';
import { requestSignIn } from '../../sessions/sign-in-commands.ts';
import { signInChain, signInLifetimeMs, signInMessage } from '../../sessions/sign-in-message.ts';
import { signatureChain, verifySignIn, walletSignature } from '../../sessions/wallet-proof.ts';
import type { UpgradeGuest } from '../upgrade.ts';
import { requireOwner } from './require-own-device.ts';

export const requestGuestUpgrade = defineOperation({
  name: 'requestGuestUpgrade',
  service: 'launcher',
  kind: 'sign-in',
  summary: 'Start linking a wallet to this guest: get the message for the wallet to sign',
  auth: 'player',
  input: z.object({ wallet: walletInput, chainId: signInChain }),
  output: z.object({
    success,
    channelId: id,
    signRequest: z.string().meta({ description: 'EIP-4361 message, to be signed with personal_sign' }),
  }),
  async handler({ input, caller }, { db, publicUrls }: { db: Store; publicUrls: PublicUrls }) {
    await requireOwner(caller, db);
    if (await db.read(findPlayer, input.wallet)) {
      throw new GantryError(
        'wallet_taken',
        'This wallet already belongs to a player, and players cannot be merged: use another wallet, or sign in with this one',
      );
    }
    const now = db.now();
    const channelId = newId();
    const signRequest = await signInMessage({
      wallet: input.wallet,
      gameName: caller.game.name,
      guest: caller.wallet,
      channelId,
      chainId: input.chainId,
      uri: publicUrls.base,
      now,
    });
    const expiresAt = now + signInLifetimeMs;
    const signIn = { id: channelId, gameId: caller.game.id, wallet: input.wallet, signRequest, expiresAt };
    await db.write(requestSignIn, signIn, caller.wallet);
    return { success: true, channelId, signRequest };
  },
});

export const upgradeGuest = defineOperation({
  name: 'upgradeGuest',
  service: 'launcher',
  kind: 'sign-in',
  summary: "Link a wallet to this guest, keeping all data: exchange the wallet's signature for a launcherJwt",
  auth: 'player',
  input: z.object({ channelId: idInput, signature: walletSignature, chainId: signatureChain }),
  output: z.object({
    success,
    wallet: normalizedAddress,
    ...signInOutput,
  }),
  async handler(
    { input, caller },
    services: NewSessionServices & { contractWallets: ContractWallets; upgradeGuest: UpgradeGuest },
  ) {
    const { db, sessionLifetimeMs } = services;
    await requireOwner(caller, db);
    const signIn = await verifySignIn(input, caller.wallet, services);
    const checked = await checkSignIn(signIn, services);
    const owner = ownerOf(caller);
    const details = await db.write(services.upgradeGuest, owner, signIn.id, sessionLifetimeMs, checked);
    return { success: true, wallet: details.player.wallet, ...(await signedIn(details, services)) };
  },
});
