import type { Store } from '../../core/storage/store.ts';
import type { AnyTable } from '../../core/storage/table.ts';
import { repeat } from '../../runtime/repeat.ts';
import { claimErasure, nextErasure } from './erasure-schedule.ts';
import { completeErasingGame } from './game-eraser.ts';
import { completeErasingPlayer } from './player-eraser.ts';

/** How often to check for erasures. */
const pollMs = 2_000;

/**
 * Completes erasures of players and games when they are due, until the signal is aborted. Every process polls; the first
 * one to claim an erasure completes it.
 */
export function startErasureSweeps(
  db: Store,
  tables: readonly AnyTable[],
  { signal, report }: { signal: AbortSignal; report(thrown: unknown): void },
): void {
  const sweep = async () => {
    const dueAt = await db.read(nextErasure);
    if (dueAt === null) return pollMs;
    if (dueAt > db.now()) return Math.min(pollMs, dueAt - db.now());
    await sweepErased(db, tables);
    return 0;
  };
  repeat(sweep, { everyMs: pollMs, firstMs: 0, signal, report });
}

/**
 * Completes the erasures that are due; with `early`, all of players: when no other process has the database open,
 * nothing that was admitted before can still write. Several processes may do this at the same time.
 */
export async function sweepErased(
  db: Store,
  tables: readonly AnyTable[],
  { early = false }: { early?: boolean } = {},
): Promise<void> {
  for (;;) {
    const erased = await db.write(claimErasure, early);
    if (erased === null) return;
    if ('wallet' in erased) await completeErasingPlayer(db, tables, erased.wallet);
    else await completeErasingGame(db, tables, erased.gameId);
  }
}
