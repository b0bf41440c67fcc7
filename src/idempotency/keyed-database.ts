import type { Command } from '../core/storage/command.ts';
import type { Database } from '../core/storage/database.ts';
import type { Claim } from './claim.ts';
import type { RunOnce } from './commands.ts';

/**
 * The database for one call with an idempotency key. The first write that succeeds is the call's main effect and runs
 * at most once per key. Later writes of the operation follow from it and may be repeated.
 */
export function keyedDatabase(db: Database, runOnce: RunOnce, claim: Claim): Database {
  let isDone = false;
  return {
    async write<Args extends unknown[], Result>(command: Command<Args, Result>, ...args: Args) {
      if (isDone) return db.write(command, ...args);
      const result = await db.write(runOnce, claim, command.commandName, args);
      isDone = true;
      return result as Result;
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
