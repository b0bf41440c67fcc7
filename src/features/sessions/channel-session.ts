import { z } from 'zod';
import { GantryError } from '../../core/errors.ts';
import { id, timestamp } from '../../core/schemas/fields.ts';
import { type OpenedBy, openedBy } from '../../core/schemas/opened-by.ts';
import type { Game } from '../games/game.ts';
import type { Player } from '../players/player.ts';

/** The response of `channelStatus`. */
export const channelStatus = z
  .object({
    exists: z.boolean().meta({ description: 'Whether the session has not ended' }),
    present: z.boolean().meta({
      description:
        'Whether the player is online: a connected socket of the session or of its launcher, or a heartbeat within 3 minutes',
    }),
    wallet: z.string(),
    openedAt: timestamp,
  })
  .meta({ id: 'ChannelSessionStatus' });

/**
 * Why a session ended: the player ended it, an administrator or the game revoked it, a newer session of the player
 * replaced it, the player was banned or erased, it expired, the key its token was signed with was retired, the game was
 * archived or deleted, or the guest was upgraded to a wallet.
 */
export const endReason = z.enum([
  'ended',
  'revoked',
  'replaced',
  'banned',
  'erased',
  'expired',
  'key_retired',
  'game_archived',
  'game_deleted',
  'upgraded',
]);
export type EndReason = z.infer<typeof endReason>;

/** One player in one game. A `launcherJwt` belongs to exactly one. Times in Unix milliseconds. */
export interface ChannelSession {
  id: string;
  gameId: string;
  wallet: string;
  openedAt: number;
  expiresAt: number;
  openedBy: OpenedBy;
  /** When it ended; null while it has not. */
  endedAt: number | null;
  endReason: EndReason | null;
  /** Present while a launcher of the player is: a launcher opened it, or its player signed in. */
  followsLauncher: boolean;
}

/** How a game's server opens sessions. */
export const byServer: readonly OpenedBy[] = ['game-server', 'vouching'];

/**
 * Whose limits the calls and bytes of a session count against: the player's in all games; of a session that a game's
 * server opened, the player's in that game. Otherwise a server could use up what any player may do elsewhere.
 */
export function budgetOf({ wallet, gameId, openedBy }: ChannelSession): string {
  return byServer.includes(openedBy) ? `${gameId} ${wallet}` : wallet;
}

/** A session with its player and game. */
export interface SessionDetails {
  session: ChannelSession;
  player: Player;
  game: Game;
}

/** The refusal of a call whose token, or its session, has expired. */
export function tokenExpired(): GantryError {
  return new GantryError('token_expired', 'launcherJwt has expired; sign in again');
}

/** The refusal of a call whose session has ended. */
export function sessionEnded(reason: string | null): GantryError {
  return new GantryError(
    'session_ended',
    `The channel session of this launcherJwt has ended (${reason}); ` +
      (reason === 'banned' ? 'signing in works again once a moderator has lifted the ban' : 'sign in again'),
    { endReason: reason ?? undefined },
  );
}

export const sessionSummary = z
  .object({
    sessionId: id,
    gameId: id,
    gameName: z.string(),
    openedAt: timestamp,
    openedBy,
    expiresAt: timestamp,
    present: z.boolean(),
  })
  .meta({ id: 'ChannelSession' });

/** A pending sign-in: the message that a wallet is to sign (EIP-4361). */
export interface UnverifiedChannel {
  id: string;
  gameId: string;
  wallet: string;
  /** The exact text to sign with `personal_sign`. */
  signRequest: string;
  expiresAt: number;
}
