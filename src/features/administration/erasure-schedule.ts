import { command, type Steps, type Tx } from '../../core/storage/command.ts';
import { query, type ReadSteps } from '../../core/storage/query.ts';
import { gameErasures } from '../games/tables.ts';
import { erasures } from './tables.ts';

/** What is being erased: a player, or a game with all its data. */
export type Erased = { wallet: string } | { gameId: string };

/**
 * How long calls that were admitted before the player was banned, or the game was archived, may take to commit, in
 * milliseconds: commands do not check this again, and games' servers write for any wallet, through any process. In this
 * time, every process also learns that the sessions ended, and disconnects the sockets.
 */
export const settleMs = 2_000;

/** When an erasure without progress is resumed, in milliseconds: its process was killed. At least `settleMs`. */
export const stalledMs = 10_000;

/** Claims an erasure that is due, or with `early` any of a player; null when there is none. */
export const claimErasure = command('claimErasure', function* (tx, early: boolean): Steps<Erased | null> {
  const [[player], [game]] = yield* tx.all(
    tx.list(erasures.byDue, [], { limit: 1 }),
    tx.list(gameErasures.byDue, [], { limit: 1 }),
  );
  const dueAt = tx.now + stalledMs;
  const row = player && (yield* tx.lock(erasures, player.wallet));
  if (row && (row.dueAt <= tx.now || early)) {
    tx.put(erasures, { ...row, dueAt });
    return { wallet: row.wallet };
  }
  const ofGame = game && (yield* tx.lock(gameErasures, game.gameId));
  if (!ofGame || ofGame.dueAt > tx.now) return null;
  tx.put(gameErasures, { ...ofGame, dueAt });
  return { gameId: ofGame.gameId };
});

/** When the next erasure is due; null when there is none. */
export const nextErasure = query('nextErasure', function* (read): ReadSteps<number | null> {
  const [player] = yield* read.list(erasures.byDue, [], { limit: 1 });
  const [game] = yield* read.list(gameErasures.byDue, [], { limit: 1 });
  const dues = [player, game].flatMap((row) => (row ? [row.dueAt] : []));
  return dues.length === 0 ? null : Math.min(...dues);
});

/**
 * Whether this is still being erased, which every step checks in its transaction: after the end, the player may have
 * come back, or the game been imported again, so a process that was late must erase nothing more. Postpones when others
 * resume the erasure.
 */
export function* continueErasing(tx: Tx, erased: Erased): Steps<boolean> {
  const dueAt = tx.now + stalledMs;
  if ('gameId' in erased) {
    const row = yield* tx.lock(gameErasures, erased.gameId);
    if (row) tx.put(gameErasures, { ...row, dueAt });
    return row !== undefined;
  }
  const row = yield* tx.lock(erasures, erased.wallet);
  if (row) tx.put(erasures, { ...row, dueAt });
  return row !== undefined;
}
