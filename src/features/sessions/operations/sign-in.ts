import { z } from 'zod';
import type { PublicUrls } from '../../../core/public-urls.ts';
import { id, idInput, success, walletInput } from '../../../core/schemas/fields.ts';
import { newId } from '../../../core/schemas/ids.ts';
import type { Store } from '../../../core/storage/store.ts';
import type { ContractWallets } from '../../chains/contract-wallets.ts';
import { ownGameInput } from '../../games/require-game.ts';
import { defineOperation } from '../../operation.ts';
import { checkSignIn } from '../checked-sign-in.ts';
import { type NewSessionServices, signedIn, signInOutput } from '../new-session.ts';
import { completeSignIn, requestSignIn } from '../sign-in-commands.ts';
import { signInChain, signInLifetimeMs, signInMessage } from '../sign-in-message.ts';
import { signatureChain, verifySignIn, walletSignature } from '../wallet-proof.ts';

export const createUnverifiedChannel = defineOperation({
  name: 'createUnverifiedChannel',
  service: 'launcher',
  kind: 'sign-in',
  summary: 'Start a sign-in: get the message for the wallet to sign',
  auth: 'game',
  input: z.object({
    wallet: walletInput,
    gameId: ownGameInput,
    chainId: signInChain,
  }),
  output: z.object({
    success,
    channelId: id,
    signRequest: z.string().meta({ description: 'EIP-4361 message, to be signed with personal_sign' }),
  }),
  async handler(
    { input, caller: { game, page } },
    { db, publicUrls }: { db: Store; publicUrls: PublicUrls },
  ) {
    const now = db.now();
    const channelId = newId();
    const signRequest = await signInMessage({
      wallet: input.wallet,
      gameName: game.name,
      channelId,
      chainId: input.chainId,
      uri: page ?? publicUrls.base,
      now,
    });
    await db.write(requestSignIn, {
      id: channelId,
      gameId: game.id,
      wallet: input.wallet,
      signRequest,
      expiresAt: now + signInLifetimeMs,
    });
    return { success: true, channelId, signRequest };
  },
});

export const verifyUnverifiedChannel = defineOperation({
  name: 'verifyUnverifiedChannel',
  service: 'launcher',
  kind: 'sign-in',
  summary: "Complete a sign-in: exchange the wallet's signature for a launcherJwt",
  auth: 'sign-in',
  input: z.object({
    channelId: idInput,
    signature: walletSignature,
    chainId: signatureChain,
  }),
  output: z.object({
    success,
    ...signInOutput,
  }),
  async handler({ input }, services: NewSessionServices & { contractWallets: ContractWallets }) {
    const { db, sessionLifetimeMs } = services;
    const signIn = await verifySignIn(input, null, services);
    const checked = await checkSignIn(signIn, services);
    const details = await db.write(completeSignIn, signIn.id, sessionLifetimeMs, checked);
    return { success: true, ...(await signedIn(details, services)) };
  },
});
