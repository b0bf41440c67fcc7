import { GantryError } from '../../../core/errors.ts';
import { streamOf } from '../../../core/events/stream.ts';
import { lockPlayer } from '../../../core/events/stream-locks.ts';
import type { Owner } from '../../../core/schemas/owner.ts';
import { command, type Request, type Steps, type Tx } from '../../../core/storage/command.ts';
import { requireGuest } from '../../players/guests.ts';
import { players } from '../../players/tables.ts';
import { type Blocker, maxBlocked } from './block.ts';
import { playerBlocksPatched } from './events.ts';
import { everywhere, type PlayerBlockRow, playerBlocks } from './tables.ts';

/** Blocks on a player that are read together; who is blocked more often is looked up among the others. */
const maxReadAtOnce = 100;
/** Rows that `removeBlocksOn` removes per batch. */
const removedPerSlice = 200;
/** Exceeds the games in which one player blocks another. */
const maxGames = 1_000;

/**
 * Blocks a player for another, in the game or in every game; the blocked player is not notified. Idempotent.
 * @throws GantryError `player_unknown`, `block_limit_reached`; for guests `guest_upgraded`
 */
export const block = command('block', function* (tx, blocker: Blocker, blocked: string): Steps<void> {
  yield* requireGuest(tx, blocked);
  const { wallet } = blocker;
  const gameId = scopeOf(blocker);
  // In a game, the same lock that commands take to add this player to a channel.
  const [, player, count, ...before] = yield* tx.all(
    lockPlayer(tx, blocker),
    tx.get(players, blocked),
    tx.count(playerBlocks.byTime, [wallet, gameId], maxBlocked),
    ...blocksOn(tx, { gameId, wallet }, blocked),
  );
  if (before.some((row) => row !== undefined)) return;
  if (!player) throw new GantryError('player_unknown', 'There is no player with this wallet');
  if (count >= maxBlocked) {
    throw new GantryError(
      'block_limit_reached',
      `A player can block at most ${maxBlocked} others in ${blocker.everywhere ? 'every game' : 'a game'}; unblock one of them first`,
    );
  }
  tx.insert(playerBlocks, { wallet, gameId, blocked, createdAt: tx.now });
  notifyOwner(tx, blocker);
});

/**
 * Ends a block in the game, or, with a launcher's session, all blocks on the player: in every game and in single ones.
 * @throws GantryError `player_not_blocked`, `blocked_everywhere`
 */
export const unblock = command('unblock', function* (tx, blocker: Blocker, blocked: string): Steps<void> {
  if (blocker.everywhere) return yield* unblockEverywhere(tx, blocker, blocked);
  const { gameId, wallet } = blocker;
  const [, row, held] = yield* tx.all(
    lockPlayer(tx, blocker),
    tx.get(playerBlocks, wallet, gameId, blocked),
    tx.get(playerBlocks, wallet, everywhere, blocked),
  );
  if (held) {
    throw new GantryError(
      'blocked_everywhere',
      'You have blocked this player in every game; unblock the player in the launcher',
    );
  }
  if (!row) throw new GantryError('player_not_blocked', 'You have not blocked this player in this game');
  tx.remove(playerBlocks, row);
  notifyOwner(tx, blocker);
});

function* unblockEverywhere(tx: Tx, launcher: Blocker, blocked: string): Steps<void> {
  const { wallet } = launcher;
  const found = yield* tx.list(playerBlocks.byPair, [wallet, blocked], { limit: maxGames });
  const owners = found.filter(({ gameId }) => gameId !== everywhere && gameId !== launcher.gameId);
  yield* tx.all(...[launcher, ...owners].map((owner) => lockPlayer(tx, owner)));
  const rows = yield* tx.all(...found.map(({ gameId }) => tx.get(playerBlocks, wallet, gameId, blocked)));
  const held = rows.filter((row) => row !== undefined);
  if (held.length === 0) throw new GantryError('player_not_blocked', 'You have not blocked this player');
  for (const row of held) tx.remove(playerBlocks, row);
  notifyOwner(tx, launcher);
  for (const { gameId } of owners) notifyOwner(tx, { gameId, wallet });
}

/** Removes a bounded batch of the blocks on a wallet; true when there may be more. */
export const removeBlocksOn = command('removeBlocksOn', function* (tx, wallet: string): Steps<boolean> {
  const rows = yield* tx.list(playerBlocks.byBlocked, [wallet], { limit: removedPerSlice });
  for (const row of rows) tx.remove(playerBlocks, row);
  return rows.length === removedPerSlice;
});

/** Requests the blocks on a player, in any game. Batch it with other rows to prefetch for `blockersAmong`. */
export function blocksOfAll(tx: Tx, wallet: string): Request<readonly PlayerBlockRow[]> {
  return tx.list(playerBlocks.byBlocked, [wallet], { limit: maxReadAtOnce });
}

/** Whether a player blocks another, in the game or everywhere. */
export function* blocksHere(tx: Tx, owner: Owner, other: string): Steps<boolean> {
  return (yield* tx.all(...blocksOn(tx, owner, other))).some((row) => row !== undefined);
}

/**
 * Which of these players block a player in the game; with the game `everywhere`, which do so in every game. Costs one
 * lookup, also for a player who is blocked: how long it takes must not tell.
 */
export function* blockersAmong(
  tx: Tx,
  { gameId, wallet }: Owner,
  others: readonly string[],
): Steps<readonly string[]> {
  let rows: readonly (PlayerBlockRow | undefined)[] = yield* blocksOfAll(tx, wallet);
  if (rows.length === maxReadAtOnce) {
    rows = yield* tx.all(...others.flatMap((other) => blocksOn(tx, { gameId, wallet: other }, wallet)));
  }
  const blockers = new Set<string>();
  for (const row of rows) {
    if (row && (row.gameId === gameId || row.gameId === everywhere)) blockers.add(row.wallet);
  }
  return others.filter((other) => blockers.has(other));
}

/** @throws GantryError `player_blocked` when the player blocks one of `others` in the game */
export function* refuseBlocked(tx: Tx, player: Owner, others: readonly string[]): Steps<void> {
  const [anyone] = yield* tx.list(playerBlocks.byTime, [player.wallet], { limit: 1 });
  if (!anyone) return;
  const rows = yield* tx.all(...others.flatMap((other) => blocksOn(tx, player, other)));
  const found = rows.find((row) => row !== undefined);
  if (!found) return;
  throw new GantryError('player_blocked', `You have blocked ${found.blocked}; unblock this player first`);
}

/** Requests the blocks on a player that hold for another in the game. */
function blocksOn(tx: Tx, { gameId, wallet }: Owner, blocked: string) {
  return [gameId, everywhere].map((scope) => tx.get(playerBlocks, wallet, scope, blocked));
}

function scopeOf({ gameId, everywhere: isEverywhere }: Blocker): string {
  return isEverywhere ? everywhere : gameId;
}

function notifyOwner(tx: Tx, { gameId, wallet, everywhere: isEverywhere }: Blocker): void {
  const record = {
    gameId,
    normalizedAddress: wallet,
    updatedAt: tx.now,
    ...(isEverywhere && { everywhere: true as const }),
  };
  const audience = { kind: 'players' as const, gameId, wallets: [wallet] };
  tx.emit(streamOf.player(gameId, wallet), playerBlocksPatched, record, audience);
}
