import { z } from 'zod';
import { apiOf } from './api.ts';
import type { Answer } from './http.ts';
import { accepted } from './outcome.ts';
import { channelStatus, id, signInFields, succeeded } from './records.ts';

const created = succeeded({ channelId: id, signRequest: z.string() });
const verified = succeeded(signInFields);

/** A sign-in that has begun: the text to sign, and where the signature goes. */
export type BegunSignIn = z.infer<typeof created>;

/** Signing in to a game, step by step. */
export interface SignIns {
  begin(wallet: string, chainId?: number): Promise<BegunSignIn>;
  finish(channelId: string, signature: string, chainId?: number): Promise<Answer>;
}

export function signInsTo(server: { url: string }, gameId: string): SignIns {
  const api = apiOf(server);
  return {
    begin: async (wallet, chainId) =>
      accepted(await api.post('/launcher/create-unverified-channel', { wallet, gameId, chainId }), created),
    finish: (channelId, signature, chainId) =>
      api.post('/launcher/verify-unverified-channel', { channelId, signature, chainId }),
  };
}

/** The token that a completed sign-in returned, checked to have opened a session for this wallet. */
export async function signedIn(server: { url: string }, answer: Answer, wallet: string): Promise<string> {
  const { launcherJwt } = accepted(answer, verified);
  const status = accepted(
    await apiOf(server).post('/launcher/channel-status', { launcherJwt }),
    channelStatus,
  );
  if (!status.exists || status.wallet !== wallet.toLowerCase()) {
    throw new Error(`the token is not of a live session of ${wallet}: ${JSON.stringify(status)}`);
  }
  return launcherJwt;
}
