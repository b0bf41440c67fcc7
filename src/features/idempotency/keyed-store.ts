import type { Command } from '../../core/storage/command.ts';
import type { Store } from '../../core/storage/store.ts';
import type { Claim } from './claim.ts';
import type { RunOnce } from './commands.ts';

/**
 * The store for one call with an idempotency key. The first write that succeeds is the call's main effect and runs at
 * most once per key. Later writes of the operation follow from it and may be repeated.
 */
export function keyedStore(store: Store, runOnce: RunOnce, claim: Claim): Store {
  let isDone = false;
  return {
    async write<Args extends unknown[], Result>(command: Command<Args, Result>, ...args: Args) {
      if (isDone) return store.write(command, ...args);
      const result = await store.write(runOnce, claim, command.commandName, args);
      isDone = true;
      return result as Result;
    },
    read: (query, ...args) => store.read(query, ...args),
    now: () => store.now(),
  };
}
