import { type Command, command, type Steps } from '../../../core/storage/command.ts';
import { type FindCommand, runNested } from '../../../core/storage/nested-command.ts';
import type { Store } from '../../../core/storage/store.ts';
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
      yield* requireGuest(tx, wallet, { toName: true });
      return yield* runNested(find, tx, commandName, args);
    },
  );
}

/** The store for one call by or about a guest: rejects writes once the guest is upgraded to a wallet. */
export function guestStore(store: Store, runAsGuest: RunAsGuest, wallet: string): Store {
  return {
    async write<Args extends unknown[], Result>(command: Command<Args, Result>, ...args: Args) {
      return (await store.write(runAsGuest, wallet, command.commandName, args)) as Result;
    },
    read: (query, ...args) => store.read(query, ...args),
    now: () => store.now(),
  };
}
