import type { Store } from '../../src/core/storage/store.ts';
import { PrizeWorker } from '../../src/features/rules/prizes/prize-worker.ts';
import { StateReader } from '../../src/features/states/state-reader.ts';

/** A worker for rules without chains, which polls often. */
export function prizeWorker(db: Store): PrizeWorker {
  return new PrizeWorker(db, {
    states: new StateReader(),
    ruleChains: { factsFor: async () => ({ signers: {}, balances: {} }) },
    report: (thrown) => process.stderr.write(`${thrown}\n`),
    pollMs: 20,
    backoff: () => 1,
  });
}
