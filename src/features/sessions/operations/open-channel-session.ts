import { z } from 'zod';
import { GantryError } from '../../../core/errors.ts';
import { isGuestAddress } from '../../../core/schemas/guest-address.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import type { Game } from '../../games/game.ts';
import { refuseArchived } from '../../games/refuse-archived.ts';
import { requireGame } from '../../games/require-game.ts';
import { defineOperation } from '../../operation.ts';
import { type GuestSettings, requireGuestsAllowed } from '../../players/guest-settings.ts';
import { startSession } from '../commands.ts';
import { refuseLauncherServer } from '../refuse-launcher-server.ts';
import { announceSession, type NewSessionServices } from './new-session.ts';

export const openChannelSession = defineOperation({
  name: 'openChannelSession',
  service: 'launcher',
  kind: 'write',
  summary:
    "Open a session for the player: in any game with the token of a launcher's own session, in its own as a game's server",
  auth: 'player-or-server',
  input: z.object({
    gameId: idInput
      .optional()
      .meta({ description: "Required of launchers; a game's server opens sessions in its own" }),
  }),
  output: z.object({
    success,
    launcherJwt: z.string(),
    url: z.string().meta({
      description:
        "The game's address with the token appended, `?token=` or `#token=` as its policy `tokenIn` says; empty when it has none",
    }),
  }),
  async handler({ input, caller }, services: NewSessionServices & { guests: GuestSettings }) {
    const { db, sessionLifetimeMs } = services;
    const isServer = caller.session === null;
    const game = isServer
      ? ownGame(caller.game, input.gameId)
      : await namedGame(db, caller.game, input.gameId);
    if (isGuestAddress(caller.wallet)) requireGuestsAllowed(services.guests);
    const owner = { gameId: game.id, wallet: caller.wallet };
    const openedBy = isServer ? 'game-server' : 'launcher';
    const details = await db.write(startSession, owner, sessionLifetimeMs, openedBy);
    const launcherJwt = await announceSession(details, services);
    return {
      success: true,
      launcherJwt,
      url: withToken(services.publicUrls.absolute(game.url), game, launcherJwt),
    };
  },
});

/** The game of a server. @throws GantryError `secret_invalid`, `sign_in_required` */
function ownGame(game: Game, gameId: string | undefined): Game {
  if (gameId !== undefined && gameId !== game.id) {
    throw new GantryError('secret_invalid', 'The game secret belongs to another game');
  }
  refuseLauncherServer(game);
  return game;
}

/** The game a launcher names. @throws GantryError `not_a_launcher`, `input_invalid`, `game_unknown` */
async function namedGame(db: Store, { kind }: Game, gameId: string | undefined): Promise<Game> {
  if (kind !== 'launcher') {
    throw new GantryError('not_a_launcher', "Only a launcher's own session may open sessions in other games");
  }
  if (gameId === undefined) {
    const field = { path: 'gameId', message: 'is required' };
    throw new GantryError('input_invalid', `${field.path}: ${field.message}`, { fields: [field] });
  }
  const game = await requireGame(db, gameId);
  refuseArchived(game);
  return game;
}

function withToken(url: string, { policies }: Game, token: string): string {
  if (url === '') return '';
  const target = new URL(url);
  if (policies.tokenIn === 'fragment') target.hash = `token=${token}`;
  else target.searchParams.set('token', token);
  return target.href;
}
