import type { Owner } from '../core/schemas/owner.ts';
import type { AdminCaller } from './administration/administrators/administrator.ts';
import type { Game } from './games/game.ts';
import type { ChannelSession, SessionDetails } from './sessions/channel-session.ts';

/** The player that a call acts for, in a game. The wallet is lowercase. */
export interface PlayerCaller {
  game: Game;
  wallet: string;
}

/** A player, with the session of their launcher token. */
export interface SessionCaller extends PlayerCaller, SessionDetails {
  /** Whether the call also has the game's secret. */
  hasSecret: boolean;
}

/**
 * The kinds of authentication, each with the `caller` that its handlers receive:
 * - `player`: a launcher token with a live session → its session, player and game
 * - `session`: as `player`, but the session may have ended
 * - `player-or-server`: as `player`; or the game's own server, with the game's secret and the player's `wallet` → the
 *   game and the wallet; the session is null for a server
 * - `player-or-game`: the same, but a server need not name a player
 * - `game`: a caller that names a game by its secret, `gameId` or an allowed origin → the game, and the page
 * - `game-secret`: a caller with a game's secret → the game
 * - `sign-in`: a caller with the `channelId` of a sign-in → null
 * - `public`: anyone → null
 * - `admin`: a caller with an administrator's token, or the command line on the data directory → the administrator and
 *   role
 */
export interface Callers {
  player: SessionCaller;
  session: SessionCaller;
  'player-or-server': PlayerCaller & { session: ChannelSession | null };
  'player-or-game': SessionCaller | { game: Game; wallet: string | null; session: null };
  game: { game: Game; page: string | null };
  'game-secret': { game: Game };
  'sign-in': null;
  public: null;
  admin: AdminCaller;
}
export type AuthKind = keyof Callers;

/** The player of the call: the token's, or the one named by the game's server. */
export function ownerOf({ game, wallet }: PlayerCaller): Owner {
  return { gameId: game.id, wallet };
}
