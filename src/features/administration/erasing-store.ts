import type { Command } from '../../core/storage/command.ts';
import type { Store } from '../../core/storage/store.ts';
import { runErasingStep, runExclusiveErasingStep } from './erasing-steps.ts';
import type { Erased } from './erasure-schedule.ts';

/** Another process has completed the erasure. */
class ErasureCompleted extends Error {}

/**
 * Runs the steps that erase a player or game with a store that each of them checks: they end when another process has
 * completed the erasure.
 */
export async function whileErasing(
  db: Store,
  erased: Erased,
  run: (store: Store) => Promise<void>,
): Promise<void> {
  try {
    await run(erasingStore(db, erased));
  } catch (error) {
    if (!(error instanceof ErasureCompleted)) throw error;
  }
}

function erasingStore(db: Store, erased: Erased): Store {
  return {
    async write<Args extends unknown[], Result>(step: Command<Args, Result>, ...args: Args) {
      const runStep = step.isExclusive ? runExclusiveErasingStep : runErasingStep;
      const outcome = await db.write(runStep, erased, step.commandName, args);
      if (!outcome) throw new ErasureCompleted('Another process has completed the erasure');
      return outcome.result as Result;
    },
    read: (query, ...args) => db.read(query, ...args),
    now: () => db.now(),
  };
}
