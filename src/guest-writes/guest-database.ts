import type { Command } from '../core/storage/command.ts';
import type { Database } from '../core/storage/database.ts';
import type { RunAsGuest } from './commands.ts';

/** A database for one call by or about a guest: rejects writes once the guest is upgraded to a wallet. */
export function guestDatabase(db: Database, runAsGuest: RunAsGuest, wallet: string): Database {
  return {
    async write<Args extends unknown[], Result>(command: Command<Args, Result>, ...args: Args) {
      return (await db.write(runAsGuest, wallet, command.commandName, args)) as Result;
    },
    read: (query, ...args) => db.read(query, ...args),
    onCommit: (listener) => db.onCommit(listener),
    onWake: (listener) => db.onWake(listener),
    onTrouble: (listener) => db.onTrouble(listener),
    onNewEpoch: (listener) => db.onNewEpoch(listener),
    stats: () => db.stats(),
    close: () => db.close(),
  };
}
