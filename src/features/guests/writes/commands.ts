import { type Command, command, type Steps } from '../../../core/storage/command.ts';
import { type FindCommand, runNested } from '../../../core/storage/nested-command.ts';
import { requireGuest } from '../../players/guests.ts';

/** Runs a command by name for a guest; see `runAsGuestOf`. */
export type RunAsGuest = Command<[wallet: string, commandName: string, args: readonly unknown[]], unknown>;

/**
 * Runs a command by name for a guest, unless the guest has been upgraded: a call admitted before the upgrade must not
 * write to the guest's former address. `find`: looks up a command by name.
 */
export function runAsGuestOf(find: FindCommand): RunAsGuest {
  return command(
    'runAsGuest',
    function* (tx, wallet: string, commandName: string, args: readonly unknown[]): Steps<unknown> {
      yield* requireGuest(tx, wallet);
      return yield* runNested(find, tx, commandName, args);
    },
  );
}
