import { GantryError } from '../../core/errors.ts';

/** Names the player: servers and administrators act for many. Players who are being erased are banned everywhere. */
export function playerBanned(wallet: string, isEverywhere: boolean): GantryError {
  return new GantryError(
    'player_banned',
    isEverywhere
      ? `The player ${wallet} is banned from every game; a moderator can lift the ban. A player who was just erased can sign in after a few seconds`
      : `The player ${wallet} is banned from this game; a moderator can lift the ban`,
  );
}
