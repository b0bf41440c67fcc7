import { z } from 'zod';
import { signInLifetimeMs, signInMessage } from '../../auth/wallet-signature.ts';
import { addressInput } from '../../domain/address.ts';
import { id, idInput, newId } from '../../domain/ids.ts';
import { success } from '../../domain/outcome.ts';
import { defineOperation } from '../define.ts';

export const createUnverifiedChannel = defineOperation({
  name: 'createUnverifiedChannel',
  service: 'launcher',
  kind: 'sign-in',
  summary: 'Begin to sign in: get the message the wallet signs',
  auth: 'game',
  input: z.object({
    wallet: addressInput,
    gameId: idInput
      .optional()
      .meta({ description: 'May be left out when the game secret or an allowed Origin names the game' }),
    chainId: z
      .int()
      .min(1)
      .default(1)
      .meta({ description: 'The chain a contract wallet is on; 1 for any other wallet' }),
  }),
  output: z.object({
    success,
    channelId: id,
    signRequest: z.string().meta({ description: 'EIP-4361 message, to be signed with personal_sign' }),
  }),
  async handler({ input, caller: { game, page } }, { store, links }) {
    const now = Date.now();
    const channelId = newId();
    const signRequest = signInMessage({
      wallet: input.wallet,
      gameName: game.name,
      channelId,
      chainId: input.chainId,
      uri: page ?? links.base,
      now,
    });
    await store.sessions.requestSignIn({
      id: channelId,
      gameId: game.id,
      wallet: input.wallet,
      signRequest,
      expiresAt: now + signInLifetimeMs,
    });
    return { success: true, channelId, signRequest };
  },
});
