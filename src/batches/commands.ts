import { lockPlayer } from '../core/events/stream-locks.ts';
import { failedAt } from '../core/failed-at.ts';
import type { Owner } from '../core/schemas/owner.ts';
import {
  type AnyCommand,
  type Command,
  command,
  forEach,
  type Steps,
  type Tx,
} from '../core/storage/command.ts';
import { GantryError } from '../errors.ts';
import { lockProfile } from '../players/commands.ts';
import { requireGuests } from '../players/guests.ts';

/** One of the commands of a batch, by its name. */
interface CommandCall {
  command: string;
  args: readonly unknown[];
}

/**
 * Carries out commands in their order, in one transaction: all of them or none. `owners` are the players they are about,
 * who are made where they were never seen; locked together, which takes one round trip where there is one.
 * `find` finds the commands there are.
 */
export function runAllOf(
  find: (name: string) => AnyCommand | undefined,
): Command<[owners: readonly Owner[], calls: readonly CommandCall[]], unknown[]> {
  return command('runAll', function* (tx: Tx, owners: readonly Owner[], calls: readonly CommandCall[]): Steps<
    unknown[]
  > {
    yield* requireGuests(
      tx,
      owners.map(({ wallet }) => wallet),
    );
    yield* tx.all(
      ...owners.map(({ wallet }) => lockProfile(tx, wallet)),
      ...owners.map((owner) => lockPlayer(tx, owner)),
    );
    return yield* forEach(tx, calls, function* ({ command: name, args }, at) {
      const run = find(name);
      if (!run || run.isExclusive) throw new Error(`${name} cannot be carried out within a command`);
      try {
        return yield* run(tx, ...(args as never));
      } catch (error) {
        throw error instanceof GantryError ? failedAt(at, error) : error;
      }
    });
  });
}
