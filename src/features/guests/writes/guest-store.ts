import type { Command } from '../../../core/storage/command.ts';
import type { Store } from '../../../core/storage/store.ts';
import type { RunAsGuest } from './commands.ts';

/** The store for one call by or about a guest: rejects writes once the guest is upgraded to a wallet. */
export function guestStore(store: Store, runAsGuest: RunAsGuest, wallet: string): Store {
  return {
    async write<Args extends unknown[], Result>(command: Command<Args, Result>, ...args: Args) {
      return (await store.write(runAsGuest, wallet, command.commandName, args)) as Result;
    },
    read: (query, ...args) => store.read(query, ...args),
  };
}
