import { GantryError } from '../../core/errors.ts';

/** Names the player: servers and administrators act for many. */
export function playerBanned(wallet: string): GantryError {
  return new GantryError(
    'player_banned',
    `The player ${wallet} is banned from this game; a moderator can lift the ban. A player who was just erased can sign in after a few seconds`,
  );
}
