import { streamOf } from '../../../core/events/stream.ts';
import { lockPlayer } from '../../../core/events/stream-locks.ts';
import { isGuestAddress } from '../../../core/schemas/fields.ts';
import type { Owner } from '../../../core/schemas/owner.ts';
import { command, exclusiveCommand, type Steps, type Tx } from '../../../core/storage/command.ts';
import { statement } from '../../../core/storage/query.ts';
import { forEach } from '../../../core/storage/steps.ts';
import { games } from '../../games/tables.ts';
import { bans, guests } from '../../players/tables.ts';
import { changeAction, enqueue } from '../../queue/actions.ts';
import { heldActionError } from '../../queue/held-actions.ts';
import { leaderboardEntries, leaderboards } from '../../scores/leaderboard-tables.ts';
import { type PrizeRunRow, prizeHolds, prizeRuns } from '../../scores/prize-tables.ts';
import { countRow } from '../../storage-quota/game-storage.ts';
import { runRules } from '../commands.ts';
import { isChainAction, type Rule } from '../rule.ts';
import { ruleTriggers } from '../tables.ts';
import type { ChainFacts, StateFacts } from '../trigger.ts';
import { rankedUnder, ruleOf, type Winner } from './prize-run.ts';

/** A next player of a run, and what the rule's conditions need, read before. */
export interface Award {
  winner: Winner;
  chain: ChainFacts;
  states: StateFacts;
}

/**
 * Runs a run's rule for its next players, in consecutive places, exactly once each: the run advances behind them in the
 * same transaction, and each trigger is recorded with the run's id, so that a player who appears again further down (a
 * better score was removed, or every score is an entry) gets nothing more. Banned players get nothing either. Returns
 * for how many of them, the first ones: the one after is not next; read again. A refusal undoes all.
 * @throws GantryError `states_changed`; refusals of the rule's actions
 */
export const givePrizes = command('givePrizes', function* (tx, awards: readonly Award[]): Steps<number> {
  const place = awards[0]?.winner.place ?? 0;
  let rule: Rule | undefined;
  const ruleOnce = (run: PrizeRunRow) => {
    rule ??= ruleOf(run);
    return rule;
  };
  let isOver = false;
  const given = yield* forEach(tx, awards, function* ({ winner, chain, states }): Steps<NextInRun[]> {
    const next = isOver ? undefined : yield* nextInRun(tx, winner, place, ruleOnce);
    // After a place that is kept, the others are not at the places that were read.
    isOver = next === undefined || next.isPlaceKept;
    if (next && !next.isSkipped) yield* runPrizeRule(tx, next, winner, chain, states);
    return next ? [next] : [];
  });
  const done = given.flat();
  const [last, award] = [done.at(-1), awards[done.length - 1]];
  if (last && award) advance(tx, last, award.winner);
  return done.length;
});

function* runPrizeRule(
  tx: Tx,
  { run, rule }: NextInRun,
  { gameId, wallet, place }: Winner,
  chain: ChainFacts,
  states: StateFacts,
): Steps<void> {
  const { leaderboard, season, seasonId } = run;
  const input = {
    trigger: rule.trigger,
    value: place,
    nonce: `${leaderboard}/${season}`,
    finished: { leaderboard, season, seasonId, place },
  };
  const isHeld = (yield* tx.get(prizeHolds, seasonId)) !== undefined;
  const heldReason = isHeld ? { heldReason: heldActionError } : {};
  const facts = { chain: { ...chain, ...heldReason }, states, nonce: run.id };
  yield* runRules(tx, { gameId, wallet }, [rule], input, facts);
}

/** Skips the next player of a run, and records each of the rule's actions as failed. False: the player is not next. */
export const failPrize = command('failPrize', function* (tx, winner: Winner, error: string): Steps<boolean> {
  const { gameId, wallet, place } = winner;
  const next = yield* nextInRun(tx, winner, place);
  if (!next) return false;
  advance(tx, next, winner);
  const { run, rule, isSkipped } = next;
  if (isSkipped) return true;
  const triggerUuid = tx.newId();
  const trigger = { trigger: rule.trigger, value: place, valueText: null, actions: '[]', at: tx.now };
  const row = { id: triggerUuid, gameId, wallet, nonce: run.id, ...trigger };
  tx.insert(ruleTriggers, row);
  yield* countRow(tx, gameId, ruleTriggers, row, { isLimited: false });
  for (const action of rule.actions) {
    const kind = isChainAction(action) ? 'chain' : 'rules';
    const { leaderboard, season } = run;
    const payload = { leaderboard, season, place, action };
    const row = yield* enqueue(tx, { kind, type: action.type, gameId, wallet, triggerUuid, payload });
    yield* changeAction(tx, row, { state: 'failed', error });
  }
  return true;
});

interface NextInRun {
  run: PrizeRunRow;
  rule: Rule;
  isSkipped: boolean;
  /** The place is not used up: the player has already received a prize at another place, and has moved down since. */
  isPlaceKept: boolean;
}

/**
 * Locks a run, which must be at `runPlace`, and the player whose turn it is now or after those before in a batch;
 * undefined if it is not the winner that was read: another process was faster, the entry has changed, the guest has
 * linked a wallet, or the game is archived.
 */
function* nextInRun(
  tx: Tx,
  winner: Winner,
  runPlace: number,
  parsed: (run: PrizeRunRow) => Rule = ruleOf,
): Steps<NextInRun | undefined> {
  const { runId, gameId, wallet } = winner;
  const owner: Owner = { gameId, wallet };
  const guest = isGuestAddress(wallet) ? yield* tx.lock(guests, wallet) : null;
  if (guest && guest.wallet !== wallet) return undefined;
  const [, run, game, earlier, here, everywhere] = yield* tx.all(
    lockPlayer(tx, owner),
    tx.lock(prizeRuns, runId),
    tx.get(games, gameId),
    tx.get(ruleTriggers.byNonce, gameId, wallet, runId),
    tx.get(bans, wallet, gameId),
    tx.get(bans, wallet, ''),
  );
  if (run?.place !== runPlace || game?.listing === 'archived') return undefined;
  const rule = parsed(run);
  const stream = streamOf.player(gameId, wallet);
  const entry = yield* tx.get(leaderboardEntries, rankedUnder(run, rule), stream, winner.entry);
  const isSame =
    entry?.scoreId === winner.scoreId &&
    entry.sortScore === winner.sortScore &&
    entry.reachedAt === winner.reachedAt;
  if (!isSame) return undefined;
  const leaderboard = yield* tx.get(leaderboards, gameId, run.leaderboard);
  const isBanned = (here ?? everywhere) !== undefined;
  // An undefined guest is of another server, from which the game was imported.
  const isSkipped = earlier !== undefined || isBanned || guest === undefined;
  return { run, rule, isSkipped, isPlaceKept: earlier !== undefined && leaderboard?.entries === 'player' };
}

/** Advances the run behind a winner, or ends it after the last place. */
function advance(tx: Tx, { run, rule: { seasonEnd }, isPlaceKept }: NextInRun, winner: Winner): void {
  const place = isPlaceKept ? winner.place : winner.place + 1;
  const { sortScore, reachedAt, scoreId } = winner;
  if (place > (seasonEnd?.places.to ?? 0)) tx.remove(prizeRuns, run);
  else tx.put(prizeRuns, { ...run, place, sortScore, reachedAt, scoreId });
}

/** Ends a run without further players, if it is still at that place. */
export const endPrizeRun = command('endPrizeRun', function* (tx, runId: string, place: number): Steps<void> {
  const run = yield* tx.lock(prizeRuns, runId);
  if (run?.place === place) tx.remove(prizeRuns, run);
});

/**
 * Call this after a restore: holds the on-chain actions of season prizes for an operator. It concerns seasons whose
 * prizes were being given when the backup was made, and those that end again because their time has come since.
 */
export const holdPrizes = exclusiveCommand('holdPrizes', function* (tx): Steps<number> {
  return yield* tx.run(holdSeasons, { now: tx.now });
});

const holdSeasons = statement<{ now: number }>(
  `INSERT INTO prize_holds (season_id, game_id)
   SELECT season_id, game_id FROM leaderboards WHERE next_end_at <= @now
   UNION SELECT season_id, game_id FROM prize_runs WHERE true
   ON CONFLICT DO NOTHING`,
);
