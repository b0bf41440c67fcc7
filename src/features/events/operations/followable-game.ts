import { GantryError } from '../../../core/errors.ts';
import type { Store } from '../../../core/storage/store.ts';
import { requireGame } from '../../games/require-game.ts';
import type { SessionDetails } from '../../sessions/channel-session.ts';
import type { Connection } from '../connection.ts';

/**
 * The game a call refers to: the token's own, or any for a launcher.
 * @throws GantryError `not_a_launcher`, `game_unknown`
 */
export async function followableGame(
  db: Store,
  { game }: SessionDetails,
  gameId: string | undefined,
): Promise<string> {
  if (gameId === undefined || gameId === game.id) return game.id;
  if (game.kind !== 'launcher') {
    throw new GantryError('not_a_launcher', "Only a launcher's own session may follow other games");
  }
  return (await requireGame(db, gameId)).id;
}

/** @throws GantryError `socket_required` when the call came over HTTP */
export function requireConnection(connection: Connection | undefined): Connection {
  if (connection) return connection;
  throw new GantryError('socket_required', 'This operation needs a live connection: call it over the socket');
}
