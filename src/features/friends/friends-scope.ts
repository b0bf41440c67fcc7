import { GantryError } from '../../core/errors.ts';
import type { Store } from '../../core/storage/store.ts';
import type { Game } from '../games/game.ts';
import type { ChannelSession, SessionDetails } from '../sessions/channel-session.ts';
import { playersWhoOpened } from './queries.ts';

/** Who asks about friends; without a session, the game's server. */
interface FriendsCaller {
  game: Game;
  wallet: string;
  session: Pick<ChannelSession, 'openedBy'> | null;
}

/**
 * The game whose players are the only ones a session may see as friends; null: all, for launchers and for games whose
 * policy `friends` is `all`. A game's server can name any player and open a session for them: unless the policy is
 * `all`, it sees friends only of players who have opened the game themselves, or for whom it vouches.
 * @throws GantryError `friends_forbidden`
 */
export async function friendsScope(
  db: Store,
  { game, wallet, session }: FriendsCaller,
): Promise<string | null> {
  requireFriendsAccess(game);
  if (seesAll(game)) return null;
  if (await isOwn(db, { game, wallet, session })) return game.id;
  throw new GantryError(
    'friends_forbidden',
    'The player has not opened this game: its server sees the friends of players who have, or needs the policy "friends": "all"',
  );
}

/**
 * Whether the connections of a session show its player to others, as online and playing its game, and count playtime.
 * The same rule as for what they see: otherwise any game's server could claim this of any player.
 */
export async function showsPlayer(
  db: Store,
  { game, session }: Pick<SessionDetails, 'game' | 'session'>,
): Promise<boolean> {
  return seesAll(game) || isOwn(db, { game, wallet: session.wallet, session });
}

async function isOwn(db: Store, { game, wallet, session }: FriendsCaller): Promise<boolean> {
  return isByPlayer(session) || hasOpened(db, game.id, wallet);
}

/** Whether a player is among `playersWhoOpened` of a game. */
export async function hasOpened(db: Store, gameId: string, wallet: string): Promise<boolean> {
  return (await db.read(playersWhoOpened, gameId, [wallet])).length > 0;
}

/** Whether a caller is the player, and neither the game's server nor a session that it has opened for any player. */
export function isByPlayer(session: FriendsCaller['session']): boolean {
  return session !== null && session.openedBy !== 'game-server';
}

function seesAll({ kind, policies }: Game): boolean {
  return kind === 'launcher' || policies.friends === 'all';
}

/** @throws GantryError `friends_forbidden` when a game may know nothing of friends */
export function requireFriendsAccess({ kind, policies }: Game): void {
  if (kind === 'launcher' || policies.friends !== 'none') return;
  throw new GantryError(
    'friends_forbidden',
    'This game has no access to its players\' friends (policy "friends")',
  );
}

/** For what concerns a player everywhere: launchers, and games that may see all friends. @throws GantryError `friends_forbidden` */
export function requireWholeAccount(game: Game): void {
  requireFriendsAccess(game);
  if (seesAll(game)) return;
  throw new GantryError(
    'friends_forbidden',
    'Only a launcher, or a game that may see all friends (policy "friends": "all"), may do this',
  );
}

/** Requires that a session may see a player. @throws GantryError `friends_forbidden`, `player_unknown` */
export async function requireInScope(db: Store, caller: FriendsCaller, wallet: string): Promise<void> {
  const gameId = await friendsScope(db, caller);
  if (gameId === null || (await hasOpened(db, gameId, wallet))) return;
  throw new GantryError('player_unknown', 'No player with this wallet has opened this game');
}
