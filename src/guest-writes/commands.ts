import { type AnyCommand, type Command, command, type Steps, type Tx } from '../core/storage/command.ts';
import { requireGuest } from '../players/guests.ts';

/** Carries out a command by its name for a guest; see `runAsGuestOf`. */
export type RunAsGuest = Command<[wallet: string, commandName: string, args: readonly unknown[]], unknown>;

/**
 * Carries out a command by its name for a guest, unless the guest was upgraded: a call that was admitted before must not
 * write what nobody finds. `find` finds the commands there are.
 */
export function runAsGuestOf(find: (name: string) => AnyCommand | undefined): RunAsGuest {
  return command(
    'runAsGuest',
    function* (tx: Tx, wallet: string, commandName: string, args: readonly unknown[]): Steps<unknown> {
      yield* requireGuest(tx, wallet);
      const run = find(commandName);
      if (!run || run.isExclusive) throw new Error(`${commandName} cannot be carried out within a command`);
      return yield* run(tx, ...(args as never));
    },
  );
}
