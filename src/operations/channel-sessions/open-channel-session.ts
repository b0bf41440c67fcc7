import { z } from 'zod';
import { idInput } from '../../domain/ids.ts';
import { success } from '../../domain/outcome.ts';
import { GantryError } from '../../errors.ts';
import { defineOperation } from '../define.ts';
import { requireGame } from '../require-game.ts';
import { issueToken } from './issue-token.ts';

export const openChannelSession = defineOperation({
  name: 'openChannelSession',
  service: 'launcher',
  kind: 'write',
  summary: "Open a session in a game for the player; takes the token of a launcher's own session",
  auth: 'player',
  input: z.object({ gameId: idInput }),
  output: z.object({
    success,
    launcherJwt: z.string(),
    url: z.string().meta({ description: "The game's address with ?token= appended; empty when it has none" }),
  }),
  async handler({ input, caller }, services) {
    if (caller.game.kind !== 'launcher') {
      throw new GantryError(
        'not_a_launcher',
        "Only a launcher's own session may open sessions in other games",
      );
    }
    const { store, sessionLifetimeMs } = services;
    const game = await requireGame(store, input.gameId);
    const owner = { gameId: game.id, wallet: caller.session.wallet };
    const launcherJwt = await issueToken(await store.sessions.open(owner, sessionLifetimeMs), services);
    return { success: true, launcherJwt, url: withToken(services.links.absolute(game.url), launcherJwt) };
  },
});

function withToken(url: string, token: string): string {
  if (url === '') return '';
  const opened = new URL(url);
  opened.searchParams.set('token', token);
  return opened.href;
}
