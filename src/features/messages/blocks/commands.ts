import { GantryError } from '../../../core/errors.ts';
import { streamOf } from '../../../core/events/stream.ts';
import { lockPlayer } from '../../../core/events/stream-locks.ts';
import type { Owner } from '../../../core/schemas/owner.ts';
import { command, type Request, type Steps, type Tx } from '../../../core/storage/command.ts';
import { requireGuest } from '../../players/guests.ts';
import { players } from '../../players/tables.ts';
import { maxBlocked } from './block.ts';
import { playerBlocksPatched } from './events.ts';
import { type PlayerBlockRow, playerBlocks } from './tables.ts';

/** Rows that `removeBlocksOn` removes per batch. */
const removedPerSlice = 200;

/**
 * Blocks a player for another in the game; the blocked player is not notified. Idempotent.
 * @throws GantryError `player_unknown`, `block_limit_reached`; for guests `guest_upgraded`
 */
export const block = command('block', function* (tx, owner: Owner, blocked: string): Steps<void> {
  yield* requireGuest(tx, blocked);
  const { gameId, wallet } = owner;
  // The same lock that commands take to add this player to a channel.
  const [, player, before, count] = yield* tx.all(
    lockPlayer(tx, owner),
    tx.get(players, blocked),
    tx.get(playerBlocks, wallet, gameId, blocked),
    tx.count(playerBlocks.byTime, [wallet, gameId], maxBlocked),
  );
  if (before) return;
  if (!player) throw new GantryError('player_unknown', 'There is no player with this wallet');
  if (count >= maxBlocked) {
    throw new GantryError(
      'block_limit_reached',
      `A player can block at most ${maxBlocked} others in a game; unblock one of them first`,
    );
  }
  tx.insert(playerBlocks, { wallet, gameId, blocked, createdAt: tx.now });
  notifyOwner(tx, owner);
});

/** @throws GantryError `player_not_blocked` */
export const unblock = command('unblock', function* (tx, owner: Owner, blocked: string): Steps<void> {
  const { gameId, wallet } = owner;
  const [, row] = yield* tx.all(lockPlayer(tx, owner), tx.get(playerBlocks, wallet, gameId, blocked));
  if (!row) throw new GantryError('player_not_blocked', 'You have not blocked this player in this game');
  tx.remove(playerBlocks, row);
  notifyOwner(tx, owner);
});

/** Removes a bounded batch of the blocks on a wallet; true when there may be more. */
export const removeBlocksOn = command('removeBlocksOn', function* (tx, wallet: string): Steps<boolean> {
  const rows = yield* tx.list(playerBlocks.byBlocked, [wallet], { limit: removedPerSlice });
  for (const row of rows) tx.remove(playerBlocks, row);
  return rows.length === removedPerSlice;
});

/** Requests whether anyone blocks a player. Batch it with other rows to prefetch for a later `blockersAmong`. */
export function anyBlocker(tx: Tx, { gameId, wallet }: Owner): Request<readonly PlayerBlockRow[]> {
  return tx.list(playerBlocks.byBlocked, [wallet, gameId], { limit: 1 });
}

/** Whether a player blocks another in the game. */
export function* blocksHere(tx: Tx, { gameId, wallet }: Owner, other: string): Steps<boolean> {
  return (yield* tx.get(playerBlocks, wallet, gameId, other)) !== undefined;
}

/** Which of these players block a player. Costs one lookup when none does. */
export function* blockersAmong(tx: Tx, player: Owner, others: readonly string[]): Steps<readonly string[]> {
  const { gameId, wallet } = player;
  const [anyone] = yield* anyBlocker(tx, player);
  if (!anyone) return [];
  const rows = yield* tx.all(...others.map((other) => tx.get(playerBlocks, other, gameId, wallet)));
  return rows.filter((row) => row !== undefined).map((row) => row.wallet);
}

/** @throws GantryError `player_blocked` when the player blocks one of `others` */
export function* refuseBlocked(tx: Tx, { gameId, wallet }: Owner, others: readonly string[]): Steps<void> {
  const [anyone] = yield* tx.list(playerBlocks.byTime, [wallet, gameId], { limit: 1 });
  if (!anyone) return;
  const rows = yield* tx.all(...others.map((other) => tx.get(playerBlocks, wallet, gameId, other)));
  const found = rows.find((row) => row !== undefined);
  if (!found) return;
  throw new GantryError('player_blocked', `You have blocked ${found.blocked}; unblock this player first`);
}

function notifyOwner(tx: Tx, { gameId, wallet }: Owner): void {
  const record = { gameId, normalizedAddress: wallet, updatedAt: tx.now };
  const audience = { kind: 'players' as const, gameId, wallets: [wallet] };
  tx.emit(streamOf.player(gameId, wallet), playerBlocksPatched, record, audience);
}
