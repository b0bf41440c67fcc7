import { isDeepStrictEqual } from 'node:util';
import { GantryError } from '../../core/errors.ts';
import { command, exclusiveCommand, type Steps } from '../../core/storage/command.ts';
import { type Game, type GameChanges, withPolicyChanges } from '../games/game.ts';
import type { GameDetailChanges } from '../games/game-details.ts';
import { setGameDetails } from '../games/library-commands.ts';
import { gameBeingDeleted, unknownGame } from '../games/require-game.ts';
import { toGame } from '../games/stored-game.ts';
import { type GameRow, gameErasures, games } from '../games/tables.ts';
import { unknownPlayer } from '../players/guests.ts';
import { bans, guests, players } from '../players/tables.ts';
import { rankGame } from '../scores/commands.ts';
import { endSessionsOf } from '../sessions/commands.ts';
import { auditLog, erasures } from './tables.ts';

/**
 * Changes the given fields; scores are kept, and ranked again when the leaderboard policy changes.
 * @throws GantryError `game_unknown`
 */
export const changeGame = exclusiveCommand(
  'changeGame',
  function* (tx, gameId: string, changes: GameChanges & GameDetailChanges): Steps<Game> {
    const row = yield* tx.lock(games, gameId);
    if (!row) throw unknownGame();
    if (yield* tx.get(gameErasures, gameId)) throw gameBeingDeleted();
    const before = toGame(row);
    const policies = withPolicyChanges(before.policies, changes.policies);
    const changed: GameRow = {
      ...row,
      name: changes.name ?? row.name,
      url: changes.url ?? row.url,
      allowedOrigins: JSON.stringify(changes.allowedOrigins ?? before.allowedOrigins),
      policies: JSON.stringify(policies),
      listing: changes.listing ?? row.listing,
      image: changes.image ?? row.image,
      sortOrder: changes.order ?? row.sortOrder,
    };
    tx.put(games, changed);
    yield* setGameDetails(tx, gameId, changes);
    if (!isDeepStrictEqual(before.policies.leaderboard, policies.leaderboard))
      yield* rankGame(tx, gameId, policies.leaderboard);
    return toGame(changed);
  },
);

/**
 * Bans a player from a game, or from every game with `gameId` null, and ends the player's sessions there.
 * @throws GantryError `player_unknown`, `guest_upgraded`
 */
export const ban = command(
  'ban',
  function* (tx, wallet: string, gameId: string | null, reason: string): Steps<void> {
    const [player, before] = yield* tx.all(tx.lock(players, wallet), tx.get(bans, wallet, gameId ?? ''));
    if (!player) throw unknownPlayer(yield* tx.get(guests, wallet));
    tx.put(bans, { wallet, gameId: gameId ?? '', reason, at: before?.at ?? tx.now });
    yield* endSessionsOf(tx, wallet, gameId, 'banned');
  },
);

/**
 * The ban of a player who is being erased stays until that is complete: what the player wrote meanwhile would be erased.
 * @throws GantryError `player_not_banned`
 */
export const unban = command('unban', function* (tx, wallet: string, gameId: string | null): Steps<void> {
  const [, erasure, row] = yield* tx.all(
    tx.lock(players, wallet),
    tx.lock(erasures, wallet),
    tx.get(bans, wallet, gameId ?? ''),
  );
  if (erasure) {
    throw new GantryError(
      'player_not_banned',
      'This player is being erased, which ends all their bans in seconds',
    );
  }
  if (!row) {
    const where = gameId === null ? 'all games' : 'this game';
    throw new GantryError('player_not_banned', `This player is not banned from ${where}`);
  }
  tx.remove(bans, row);
});

/**
 * Writes an action to the audit log before it runs, so that none goes unrecorded. `actor`: the administrator's name,
 * `admin-token` or `cli`. Returns the entry's id.
 */
export const beginAudit = command(
  'beginAudit',
  // biome-ignore lint/correctness/useYield: a row with a new id needs no lock
  function* (
    tx,
    actor: string,
    operation: string,
    input: unknown,
    administratorId: string | null = null,
  ): Steps<string> {
    const id = tx.newId();
    tx.insert(auditLog, {
      id,
      at: tx.now,
      administratorId,
      actor,
      operation,
      input: JSON.stringify(input),
      outcome: null,
    });
    return id;
  },
);

/** Records an action's outcome: `ok`, or the reason it was rejected. */
export const finishAudit = command('finishAudit', function* (tx, id: string, outcome: string): Steps<void> {
  const entry = yield* tx.lock(auditLog, id);
  if (entry) tx.put(auditLog, { ...entry, outcome });
});
