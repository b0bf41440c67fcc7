import { GantryError } from '../../core/errors.ts';
import { lockPlayer } from '../../core/events/stream-locks.ts';
import { failedAt } from '../../core/failed-at.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import { type Command, command, type Steps } from '../../core/storage/command.ts';
import { type FindCommand, runNested } from '../../core/storage/nested-command.ts';
import { forEach } from '../../core/storage/steps.ts';
import { attributeNewPlayers, lockProfile } from '../players/commands.ts';
import { requireGuests } from '../players/guests.ts';
import { countBytes } from '../storage-quota/game-storage.ts';

/** A command of a batch, by name. */
interface CommandCall {
  command: string;
  args: readonly unknown[];
}

/**
 * Runs commands in order in one transaction, atomically. `owners` are the players concerned: unknown ones are created,
 * and all are locked together, in one round trip. `find` looks up a command by name.
 */
export function runAllOf(
  find: FindCommand,
): Command<[owners: readonly Owner[], calls: readonly CommandCall[]], unknown[]> {
  return command('runAll', function* (tx, owners: readonly Owner[], calls: readonly CommandCall[]): Steps<
    unknown[]
  > {
    yield* requireGuests(
      tx,
      owners.map(({ wallet }) => wallet),
      { toName: true },
    );
    const [rows] = yield* tx.all(
      tx.all(...owners.map(({ wallet }) => lockProfile(tx, wallet))),
      ...owners.map((owner) => lockPlayer(tx, owner)),
    );
    for (const [at, { gameId }] of owners.entries()) {
      yield* countBytes(tx, gameId, attributeNewPlayers(tx, gameId, rows.slice(at, at + 1)));
    }
    return yield* forEach(tx, calls, function* ({ command: name, args }, at) {
      try {
        return yield* runNested(find, tx, name, args);
      } catch (error) {
        throw error instanceof GantryError ? failedAt(at, error) : error;
      }
    });
  });
}
