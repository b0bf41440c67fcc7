import { z } from 'zod';
import { idInput } from '../../core/schemas/ids.ts';
import { success } from '../../core/schemas/outcome.ts';
import type { Database } from '../../core/storage/database.ts';
import { GantryError } from '../../errors.ts';
import { requireGame } from '../../games/require-game.ts';
import { defineOperation } from '../../operations/define.ts';
import type { Presence } from '../../presence/presence.ts';
import type { PublicUrls } from '../../public-urls.ts';
import { startSession } from '../commands.ts';
import type { LauncherTokens } from '../launcher-token.ts';
import { announcePresence } from '../session-presence.ts';
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
  async handler(
    { input, caller },
    services: {
      db: Database;
      presence: Presence;
      sessionLifetimeMs: number;
      tokens: LauncherTokens;
      links: PublicUrls;
    },
  ) {
    if (caller.game.kind !== 'launcher') {
      throw new GantryError(
        'not_a_launcher',
        "Only a launcher's own session may open sessions in other games",
      );
    }
    const { db, sessionLifetimeMs } = services;
    const game = await requireGame(db, input.gameId);
    const owner = { gameId: game.id, wallet: caller.session.wallet };
    const details = await db.write(startSession, owner, sessionLifetimeMs, 'player');
    const launcherJwt = await issueToken(details, services);
    await announcePresence(services, details.session.id);
    return { success: true, launcherJwt, url: withToken(services.links.absolute(game.url), launcherJwt) };
  },
});

function withToken(url: string, token: string): string {
  if (url === '') return '';
  const opened = new URL(url);
  opened.searchParams.set('token', token);
  return opened.href;
}
