import type { Command } from '../../core/storage/command.ts';
import type { Store } from '../../core/storage/store.ts';
import { runErasingStep, runExclusiveErasingStep } from './erasing-steps.ts';

/** Another process has completed the erasure. */
export class ErasureCompleted extends Error {}

/** The store for the steps of erasing a player: each fails with `ErasureCompleted` once the erasure has been completed. */
export function erasingStore(db: Store, wallet: string): Store {
  return {
    async write<Args extends unknown[], Result>(step: Command<Args, Result>, ...args: Args) {
      const runStep = step.isExclusive ? runExclusiveErasingStep : runErasingStep;
      const outcome = await db.write(runStep, wallet, step.commandName, args);
      if (!outcome) throw new ErasureCompleted(`${wallet} has been erased`);
      return outcome.result as Result;
    },
    read: (query, ...args) => db.read(query, ...args),
    now: () => db.now(),
  };
}
