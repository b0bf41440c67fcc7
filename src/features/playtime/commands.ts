import { command, type Steps, type Tx } from '../../core/storage/command.ts';
import { forEach } from '../../core/storage/steps.ts';
import { games } from '../games/tables.ts';
import { players } from '../players/tables.ts';
import { endOnNode, type NodeTime, type PlayEnd, withStretch } from './play.ts';
import { type OpenPlayRow, openPlays, playNodes, playtime } from './tables.ts';

/** Stretches that one transaction ends, of a node that is gone. */
const endedAtOnce = 100;

/** A player of a node has opened a game, or closed it (null), so many milliseconds before the write. */
export interface PlayChange {
  wallet: string;
  gameId: string | null;
  agoMs: number;
}

/**
 * Ends what the players had open, and opens what they have opened. Repeated changes change nothing. False: one of them
 * was to end what this node had not stored for that player.
 */
export const recordPlays = command(
  'recordPlays',
  function* (tx, node: NodeTime, changes: readonly PlayChange[]): Steps<boolean> {
    yield* beat(tx, node);
    const known = yield* forEach(tx, changes, (change) => recordPlay(tx, node, change));
    return !known.includes(false);
  },
);

/** Extends the lease of a node; false: it had none. */
export const beatPlays = command('beatPlays', function* (tx, node: NodeTime): Steps<boolean> {
  return yield* beat(tx, node);
});

/**
 * Ends a bounded number of stretches of a node that has said nothing since `upMs`, each at the end of the node's lease;
 * true when there are more.
 */
export const endPlaysOf = command('endPlaysOf', function* (tx, { id, upMs }: NodeTime): Steps<boolean> {
  const node = yield* tx.lock(playNodes, id);
  if (node && node.upMs !== upMs) return false;
  const rows = yield* tx.list(openPlays.byNode, [id], { limit: endedAtOnce });
  yield* forEach(tx, rows, function* ({ wallet }): Steps<void> {
    const open = yield* tx.lock(openPlays, wallet);
    if (open?.nodeId === id) yield* end(tx, open, node ? endOnNode(node, tx.now) : null);
  });
  if (rows.length === endedAtOnce) return true;
  if (node) tx.remove(playNodes, node);
  return false;
});

function* beat(tx: Tx, { id, upMs }: NodeTime): Steps<boolean> {
  const before = yield* tx.lock(playNodes, id);
  tx.put(playNodes, { nodeId: id, upMs, beatAt: tx.now });
  return before !== undefined;
}

function* recordPlay(tx: Tx, node: NodeTime, { wallet, gameId, agoMs }: PlayChange): Steps<boolean> {
  const open = yield* tx.lock(openPlays, wallet);
  const isOwn = open?.nodeId === node.id;
  if (isOwn && open.gameId === gameId) return true;
  if (gameId === null && !isOwn) return false; // another node has taken over, or a guest has got a wallet
  const now: PlayEnd = { upMs: node.upMs - agoMs, at: tx.now - agoMs };
  if (open) {
    const other = isOwn ? undefined : yield* tx.get(playNodes, open.nodeId);
    yield* end(tx, open, isOwn ? now : other ? endOnNode(other, now.at) : null);
  }
  if (gameId === null) return true;
  const [player, game] = yield* tx.all(tx.get(players, wallet), tx.get(games, gameId));
  // Unless they were erased meanwhile.
  if (player && game)
    tx.put(openPlays, { wallet, gameId, nodeId: node.id, startedAt: now.at, startedUp: now.upMs });
  return true;
}

/** Ends a stretch; null: nothing is known of its node, so that it does not count. */
function* end(tx: Tx, open: OpenPlayRow, at: PlayEnd | null): Steps<void> {
  tx.remove(openPlays, open);
  const [game, before] = yield* tx.all(
    tx.get(games, open.gameId),
    tx.lock(playtime, [open.wallet, open.gameId]),
  );
  if (game && at) tx.put(playtime, withStretch(before, open, at));
}
