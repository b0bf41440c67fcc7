import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { GantryError } from '../core/errors.ts';
import type { Database } from '../core/storage/database.ts';
import { holdActions } from './open-store.ts';

const retryMs = 1_000;

/**
 * Once PostgreSQL lacks acknowledged writes, after a failover or a restore beneath running nodes: reports it, and holds
 * on-chain actions, which may have been sent by a transaction that was lost.
 */
export function watchForLostWrites(db: Database, logger: Logger, signal: AbortSignal): void {
  db.onNewEpoch(() => {
    logger.error(
      'The database lacks writes that it had acknowledged: another server took over, or an older state was restored. ' +
        'Launchers reload. Queued on-chain actions are held, because they may have been executed: check the chain, and ' +
        'retry those that were not (gantry actions list --state failed)',
    );
    hold().catch((error: unknown) => logger.error({ err: error }, 'on-chain actions could not be held'));
  });

  /** Repeats it while the database cannot be reached. */
  async function hold(): Promise<void> {
    while (!signal.aborted) {
      try {
        await holdActions(db);
        return;
      } catch (error) {
        if (!(error instanceof GantryError) || error.reason !== 'store_unavailable') throw error;
        await delay(retryMs, undefined, { signal }).catch(() => {}); // the server is closing
      }
    }
  }
}
