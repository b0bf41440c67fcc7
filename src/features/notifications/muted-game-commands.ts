import { GantryError } from '../../core/errors.ts';
import { type Audience, streamOf } from '../../core/events/stream.ts';
import { lockAccount } from '../../core/events/stream-locks.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import { command, type Steps } from '../../core/storage/command.ts';
import { games } from '../games/tables.ts';
import { lockProfile } from '../players/commands.ts';
import { mutedGamePatched } from './events.ts';
import { mutedGames } from './tables.ts';

/**
 * Turns a game's notifications off or on in the player's launchers; either changes nothing the second time.
 * @throws GantryError `game_unknown`
 */
export const setGameMuted = command(
  'setGameMuted',
  function* (tx, { gameId, wallet }: Owner, muted: boolean): Steps<void> {
    const [, , game, row] = yield* tx.all(
      lockProfile(tx, wallet),
      lockAccount(tx, wallet),
      tx.get(games, gameId),
      tx.get(mutedGames, wallet, gameId),
    );
    if (!game) throw new GantryError('game_unknown', 'There is no game with this id or slug');
    if ((row !== undefined) === muted) return;
    if (row) tx.remove(mutedGames, row);
    else tx.insert(mutedGames, { wallet, gameId, mutedAt: tx.now });
    const audience: Audience = { kind: 'account', wallet, inGames: null };
    const record = { normalizedAddress: wallet, gameId, muted, updatedAt: tx.now };
    tx.emit(streamOf.account(wallet), mutedGamePatched, record, audience);
  },
);
