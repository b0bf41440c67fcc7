import { z } from 'zod';
import type { Presence } from '../../../cluster/presence/presence.ts';
import { GantryError } from '../../../core/errors.ts';
import { addressInput, idInput, isGuestAddress, success } from '../../../core/schemas/fields.ts';
import type { Store } from '../../../core/storage/store.ts';
import type { Game } from '../../games/game.ts';
import { gameInput, isNamed, refuseArchived, requireNamedGame } from '../../games/require-game.ts';
import { defineOperation } from '../../operation.ts';
import { fixedCost } from '../../operation-cost.ts';
import { type GuestSettings, requireGuestsAllowed } from '../../players/guest-settings.ts';
import { sessionSummary } from '../channel-session.ts';
import { endSession, revokeSessionsInGame, startSession } from '../commands.ts';
import { announceSession, type NewSessionServices } from '../new-session.ts';
import { liveSessions } from '../queries.ts';
import { refuseLauncherServer } from '../refuse-launcher-server.ts';
import { presentSessions } from '../session-presence.ts';

export const openChannelSession = defineOperation({
  name: 'openChannelSession',
  service: 'launcher',
  kind: 'write',
  summary: 'Open a channel session for the player: a launcher in any game, a game server in its own game',
  auth: 'player-or-server',
  input: z.object({
    gameId: gameInput
      .optional()
      .meta({ description: 'Id or slug; required for launchers, a game server may omit it' }),
  }),
  output: z.object({
    success,
    launcherJwt: z.string(),
    url: z.string().meta({
      description:
        "The game's URL with the token appended (`?token=` or `#token=`, by the policy `tokenIn`); empty when it has none",
    }),
  }),
  async handler({ input, caller }, services: NewSessionServices & { guests: GuestSettings }) {
    const { db, sessionLifetimeMs } = services;
    const isServer = caller.session === null;
    const game = isServer
      ? ownGame(caller.game, input.gameId)
      : await gameOfInput(db, caller.game, input.gameId);
    if (isGuestAddress(caller.wallet)) requireGuestsAllowed(services.guests);
    const owner = { gameId: game.id, wallet: caller.wallet };
    const openedBy = isServer ? 'game-server' : 'launcher';
    const checked = isServer ? null : await services.gameAccess.check(game, caller.wallet, db.now());
    const details = await db.write(startSession, owner, sessionLifetimeMs, openedBy, checked);
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
  if (gameId !== undefined && !isNamed(game, gameId)) {
    throw new GantryError('secret_invalid', 'The game secret belongs to another game');
  }
  refuseLauncherServer(game);
  return game;
}

/** The game in a launcher's input. @throws GantryError `not_a_launcher`, `input_invalid`, `game_unknown` */
async function gameOfInput(db: Store, { kind }: Game, gameId: string | undefined): Promise<Game> {
  if (kind !== 'launcher') {
    throw new GantryError('not_a_launcher', "Only a launcher's own session may open sessions in other games");
  }
  if (gameId === undefined) {
    const field = { path: 'gameId', message: 'is required' };
    throw new GantryError('input_invalid', `${field.path}: ${field.message}`, { fields: [field] });
  }
  const game = await requireNamedGame(db, gameId);
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

export const listChannelSessions = defineOperation({
  name: 'listChannelSessions',
  service: 'launcher',
  kind: 'read',
  summary:
    "List the player's live channel sessions, newest first: a launcher sees all games, a game only its own",
  auth: 'player-or-server',
  input: z.object({}),
  cost: fixedCost('read', 5),
  output: z.object({ success, sessions: z.array(sessionSummary) }),
  async handler({ caller }, services: { db: Store; presence: Presence }) {
    const live = await services.db.read(liveSessions, caller.wallet);
    // A launcher's server acts for the launcher, not for its players in other games.
    const seesAll = caller.session !== null && caller.game.kind === 'launcher';
    const visible = live.filter(({ game }) => seesAll || game.id === caller.game.id);
    const present = await presentSessions(
      services,
      visible.map(({ session }) => session),
      live.map(({ session, game }) => ({ session, isOfLauncher: game.kind === 'launcher' })),
    );
    const sessions = visible.map(({ session, game }) => ({
      sessionId: session.id,
      gameId: game.id,
      gameName: game.name,
      openedAt: session.openedAt,
      openedBy: session.openedBy,
      expiresAt: session.expiresAt,
      present: present.has(session.id),
    }));
    return { success: true, sessions };
  },
});

export const endChannelSession = defineOperation({
  name: 'endChannelSession',
  service: 'launcher',
  kind: 'write',
  goesOnInMaintenance: true,
  summary: "End the token's channel session; with `sessionId`, a launcher may end any session of its player",
  auth: 'player',
  input: z.object({ sessionId: idInput.optional() }),
  output: z.object({ success }),
  async handler({ input, caller }, { db }: { db: Store }) {
    const sessionId = input.sessionId ?? caller.session.id;
    if (sessionId !== caller.session.id && caller.game.kind !== 'launcher') {
      throw new GantryError('not_a_launcher', "Only a launcher's own session may end other sessions");
    }
    await db.write(endSession, caller.session.wallet, sessionId);
    return { success: true };
  },
});

export const revokeChannelSession = defineOperation({
  name: 'revokeChannelSession',
  service: 'launcher',
  kind: 'write',
  goesOnInMaintenance: true,
  summary: "Revoke a player's channel sessions in the game, or one of them; requires the game's secret",
  auth: 'game-secret',
  input: z.object({
    wallet: addressInput,
    sessionId: idInput.optional().meta({ description: 'Default: all sessions of the player in this game' }),
  }),
  output: z.object({ success, ended: z.int().meta({ description: 'Number of sessions ended' }) }),
  async handler({ input, caller: { game } }, { db }: { db: Store }) {
    const owner = { gameId: game.id, wallet: input.wallet };
    return { success: true, ended: await db.write(revokeSessionsInGame, owner, input.sessionId) };
  },
});
