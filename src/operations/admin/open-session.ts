import { z } from 'zod';
import { addressInput } from '../../domain/address.ts';
import { idInput } from '../../domain/ids.ts';
import { success } from '../../domain/outcome.ts';
import { username } from '../../domain/player.ts';
import { issueToken } from '../channel-sessions/issue-token.ts';
import { defineOperation } from '../define.ts';
import { requireGame } from '../require-game.ts';

export const openSession = defineOperation({
  name: 'openSession',
  service: 'admin',
  kind: 'write',
  summary: 'Open a channel session for a player, as signing in would',
  auth: 'admin',
  input: z.object({ gameId: idInput, wallet: addressInput, username: username.optional() }),
  output: z.object({ success, launcherJwt: z.string(), sessionId: z.string() }),
  async handler({ input }, services) {
    const { store, sessionLifetimeMs } = services;
    const { gameId, wallet } = input;
    await requireGame(store, gameId);
    if (input.username !== undefined) await store.players.setProfile(wallet, { username: input.username });
    const details = await store.sessions.open({ gameId, wallet }, sessionLifetimeMs);
    return { success: true, launcherJwt: await issueToken(details, services), sessionId: details.session.id };
  },
});
