import { GantryError } from '../../core/errors.ts';
import type { Store } from '../../core/storage/store.ts';
import type { Game } from '../games/game.ts';
import { areInGame } from './queries.ts';

/**
 * The game whose players are the only ones a session may see as friends; null: all, for launchers and for games whose
 * policy `friends` is `all`.
 * @throws GantryError `friends_forbidden`
 */
export function friendsScope({ id, kind, policies }: Game): string | null {
  if (kind === 'launcher' || policies.friends === 'all') return null;
  if (policies.friends === 'in-game') return id;
  throw new GantryError(
    'friends_forbidden',
    'This game has no access to its players\' friends (policy "friends")',
  );
}

/** For what concerns a player everywhere: launchers, and games that may see all friends. @throws GantryError `friends_forbidden` */
export function requireWholeAccount(game: Game): void {
  if (friendsScope(game) === null) return;
  throw new GantryError(
    'friends_forbidden',
    'Only a launcher, or a game that may see all friends (policy "friends": "all"), may do this',
  );
}

/** Requires that a session may see a player. @throws GantryError `friends_forbidden`, `player_unknown` */
export async function requireInScope(db: Store, game: Game, wallet: string): Promise<void> {
  const gameId = friendsScope(game);
  if (gameId === null || (await db.read(areInGame, gameId, [wallet])).length > 0) return;
  throw new GantryError('player_unknown', 'There is no player with this wallet in this game');
}
