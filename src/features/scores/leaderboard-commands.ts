import { isDeepStrictEqual } from 'node:util';
import { GantryError } from '../../core/errors.ts';
import { ownerIn, streamOf } from '../../core/events/stream.ts';
import { lockGame } from '../../core/events/stream-locks.ts';
import { never, nextTime, type Schedule } from '../../core/schemas/schedule.ts';
import { command, exclusiveCommand, type Steps, type Tx } from '../../core/storage/command.ts';
import { forEach } from '../../core/storage/steps.ts';
import type { AnyTable } from '../../core/storage/table.ts';
import { games } from '../games/tables.ts';
import { countedBytes, releaseBytes } from '../storage-quota/game-storage.ts';
import {
  defaultLeaderboard,
  type LeaderboardChanges,
  type LeaderboardRecord,
  maxLabels,
  maxLeaderboards,
  type NewLeaderboard,
} from './leaderboard.ts';
import {
  type LeaderboardRow,
  leaderboardEntries,
  leaderboardRecords,
  leaderboardSeasons,
  leaderboards,
  type RecordRow,
  type RetiredSeasonRow,
  retiredSeasons,
  type SeasonRow,
} from './leaderboard-tables.ts';
import { prizeRuns } from './prize-tables.ts';
import { seasonEnded } from './score.ts';
import { startPrizes } from './season-prizes.ts';
import { refuseSeasonSchedule } from './season-schedule.ts';
import { labelBoardOf, labelsOf, toLeaderboardRecord } from './stored-leaderboard.ts';

/** How many finished seasons one command checks for ones beyond `keepSeasons`. */
const retireBatchSize = 20;
/**
 * How many retired seasons are first scanned for one that can be cleared; each further scan covers four times as many.
 */
const initialScanSize = 20;
/** How many finished seasons one command deletes with their leaderboard. */
const deleteBatchSize = 500;
/** How many records of a retired season are deleted per command. */
const clearBatchSize = 200;

/**
 * Creates a leaderboard and starts its first season.
 * @throws GantryError `game_unknown`, `leaderboard_name_taken`, `leaderboard_limit_reached`, `schedule_invalid`
 */
export const addLeaderboard = command(
  'addLeaderboard',
  function* (tx, gameId: string, input: NewLeaderboard): Steps<LeaderboardRecord> {
    const [game] = yield* tx.all(tx.lock(games, gameId), tx.lock(leaderboards, [gameId, input.name]));
    if (!game) throw new GantryError('game_unknown', 'There is no game with this id or slug');
    const existing = yield* tx.list(leaderboards.byGame, [gameId], { limit: maxLeaderboards });
    if (input.name === defaultLeaderboard || existing.some(({ name }) => name === input.name)) {
      throw new GantryError(
        'leaderboard_name_taken',
        'The game already has a leaderboard with this name; choose another one',
      );
    }
    if (existing.length >= maxLeaderboards) {
      throw new GantryError(
        'leaderboard_limit_reached',
        `A game has at most ${maxLeaderboards} leaderboards; remove one first`,
      );
    }
    if (input.schedule) refuseSeasonSchedule(input.schedule, tx.now);
    const row: LeaderboardRow = {
      gameId,
      name: input.name,
      keep: input.keep,
      sortOrder: input.order,
      entries: input.entries,
      isPublic: input.public ? 1 : 0,
      labels: JSON.stringify([...new Set(input.labels)]),
      seasonId: tx.newId(),
      season: 1,
      seasonStartedAt: tx.now,
      ...scheduleColumns(input.schedule, tx.now),
      keepSeasons: input.keepSeasons,
      createdAt: tx.now,
      updatedAt: tx.now,
    };
    tx.insert(leaderboards, row);
    return toLeaderboardRecord(row);
  },
);

/**
 * Applies the given changes. Seasons beyond a lowered `keepSeasons` are removed when the next one ends.
 * @throws GantryError `leaderboard_unknown`, `label_limit_reached`, `schedule_invalid`
 */
export const changeLeaderboard = command(
  'changeLeaderboard',
  function* (tx, gameId: string, name: string, changes: LeaderboardChanges): Steps<LeaderboardRecord> {
    const row = yield* lockLeaderboard(tx, gameId, name);
    const labels = [...new Set([...labelsOf(row), ...(changes.addLabels ?? [])])];
    if (labels.length > maxLabels) {
      throw new GantryError('label_limit_reached', `A leaderboard has at most ${maxLabels} labels`);
    }
    // The same schedule again keeps an end that is due but not made yet.
    const schedule = isDeepStrictEqual(changes.schedule, scheduleOf(row)) ? undefined : changes.schedule;
    if (schedule) refuseSeasonSchedule(schedule, tx.now);
    const changed: LeaderboardRow = {
      ...row,
      isPublic: changes.public === undefined ? row.isPublic : changes.public ? 1 : 0,
      labels: JSON.stringify(labels),
      ...(schedule === undefined ? {} : scheduleColumns(schedule, tx.now)),
      keepSeasons: changes.keepSeasons === undefined ? row.keepSeasons : changes.keepSeasons,
      updatedAt: tx.now,
    };
    tx.put(leaderboards, changed);
    return toLeaderboardRecord(changed);
  },
);

/**
 * Deletes a leaderboard with its seasons; scores are deleted in batches, in the background. A call deletes at most
 * `seasonBatchSize` finished seasons, the oldest first, and the leaderboard with the last of them: until then its name
 * is taken, so that no season of a new leaderboard gets the number of one that still exists. Prizes not yet given are
 * dropped. Returns true when the leaderboard is deleted; on false, call again.
 * @throws GantryError `leaderboard_unknown`
 */
export const deleteLeaderboard = exclusiveCommand(
  'deleteLeaderboard',
  function* (tx, gameId: string, name: string, seasonBatchSize: number = deleteBatchSize): Steps<boolean> {
    const row = yield* lockLeaderboard(tx, gameId, name);
    const finished = yield* tx.list(leaderboardSeasons.byLeaderboard, [gameId, name], {
      limit: seasonBatchSize + 1,
    });
    for (const season of finished.slice(0, seasonBatchSize)) retire(tx, season);
    const prizes = yield* tx.list(prizeRuns.byLeaderboard, [gameId, name], { limit: deleteBatchSize + 1 });
    for (const run of prizes.slice(0, deleteBatchSize)) tx.remove(prizeRuns, run);
    if (finished.length > seasonBatchSize || prizes.length > deleteBatchSize) return false;
    // Blocks concurrent writes, which could leave entries without a leaderboard.
    yield* tx.recount(leaderboardEntries, tx.newId());
    tx.remove(leaderboards, row);
    tx.insert(retiredSeasons, { id: row.seasonId, gameId });
    return true;
  },
);

/**
 * Ends the current season, if it is `season` (default: whichever it is), and starts the next one. The ranking stays on
 * its own board, which is never written again: no player's rows are touched, so the cost does not depend on their
 * number. `isDue`: only if its schedule says that it is over by now. Returns the number of the current season.
 * @throws GantryError `leaderboard_unknown`, `season_unknown` when there is no such season yet
 */
export const endSeason = exclusiveCommand(
  'endSeason',
  function* (
    tx,
    gameId: string,
    name: string,
    { season, isDue = false }: { season?: number | undefined; isDue?: boolean } = {},
  ): Steps<number> {
    const row = yield* lockLeaderboard(tx, gameId, name);
    if (season !== undefined && season > row.season) throw seasonUnknown();
    if (season !== undefined && season < row.season) return row.season;
    if (isDue && row.nextEndAt > tx.now) return row.season;
    yield* lockGame(tx, gameId);
    const seasonId = tx.newId();
    // Blocks concurrent writes; those that have read the season's id already read it again.
    yield* tx.recount(leaderboardEntries, seasonId);
    yield* lockGame(tx, gameId); // the flush before the recount released it
    const ended: SeasonRow = {
      gameId,
      leaderboard: name,
      season: row.season,
      id: row.seasonId,
      startedAt: row.seasonStartedAt,
      endedAt: tx.now,
    };
    tx.insert(leaderboardSeasons, ended);
    yield* startPrizes(tx, ended);
    const next: LeaderboardRow = {
      ...row,
      seasonId,
      season: row.season + 1,
      seasonStartedAt: tx.now,
      nextEndAt: endAfter(scheduleOf(row), tx.now),
      updatedAt: tx.now,
    };
    tx.put(leaderboards, next);
    if (row.keepSeasons !== null) {
      const last = row.season - row.keepSeasons;
      const oldest = yield* tx.list(leaderboardSeasons.byLeaderboard, [gameId, name], {
        limit: retireBatchSize,
      });
      for (const finished of oldest) if (finished.season <= last) retire(tx, finished);
    }
    tx.emit(
      streamOf.game(gameId),
      seasonEnded,
      {
        gameId,
        leaderboard: name,
        season: row.season,
        startedAt: row.seasonStartedAt,
        endedAt: tx.now,
        nextSeason: next.season,
        nextSeasonEndsAt: next.nextEndAt === never ? null : next.nextEndAt,
      },
      { kind: 'game', gameId },
    );
    return next.season;
  },
);

/**
 * Deletes a batch of the records of a retired season whose prizes have all been given. Returns true when there may be
 * more.
 */
export const clearRetiredSeason = command('clearRetiredSeason', function* (tx): Steps<boolean> {
  const season = yield* findClearableSeason(tx);
  if (!season) return false;
  const rows = yield* tx.list(leaderboardRecords.byScore, [season.id], { limit: clearBatchSize });
  yield* removeRecords(tx, rows);
  if (rows.length < clearBatchSize) tx.remove(retiredSeasons, season);
  return true;
});

function* findClearableSeason(tx: Tx): Steps<RetiredSeasonRow | undefined> {
  // Seasons that still wait for their prizes, such as those of an archived game, must not block the others.
  for (let [seen, limit] = [0, initialScanSize]; ; [seen, limit] = [limit, 4 * limit]) {
    const seasons = yield* tx.list(retiredSeasons.inOrder, [], { limit });
    const unseen = seasons.slice(seen);
    const runs = yield* tx.all(...unseen.map(({ id }) => tx.list(prizeRuns.bySeason, [id], { limit: 1 })));
    const clearable = unseen.find((_, at) => runs[at]?.length === 0);
    if (clearable) return clearable;
    if (seasons.length < limit) return undefined;
  }
}

/** Removes records, and their players' entries on the same boards: for removing all of a player's records there. */
export function* removeRecords(tx: Tx, rows: readonly RecordRow[]): Steps<void> {
  yield* forEach(tx, rows, function* (row) {
    const boards = row.label === null ? [row.board] : [row.board, labelBoardOf(row.board, row.label)];
    const keys = boards.flatMap((board) => [
      [board, row.stream, ''] as const,
      [board, row.stream, row.id] as const,
    ]);
    const found = yield* tx.all(...keys.map((key) => tx.get(leaderboardEntries, ...key)));
    for (const entry of found) if (entry) tx.remove(leaderboardEntries, entry);
    tx.remove(leaderboardRecords, row);
  });
  const ofGames = Map.groupBy(rows, ({ stream }) => ownerIn(stream)?.gameId ?? '');
  for (const [gameId, ofGame] of ofGames) {
    const bytes = ofGame.map((row) => countedBytes(leaderboardRecords as AnyTable, row));
    yield* releaseBytes(
      tx,
      gameId,
      bytes.reduce((sum, one) => sum + one, 0),
    );
  }
}

/** @throws GantryError `leaderboard_unknown` */
function* lockLeaderboard(tx: Tx, gameId: string, name: string): Steps<LeaderboardRow> {
  const row = yield* tx.lock(leaderboards, [gameId, name]);
  if (!row) throw leaderboardUnknown();
  return row;
}

export function leaderboardUnknown(): GantryError {
  return new GantryError('leaderboard_unknown', 'The game has no leaderboard with this name');
}

export function seasonUnknown(): GantryError {
  return new GantryError('season_unknown', 'The leaderboard has no such season, or no longer keeps it');
}

function retire(tx: Tx, season: SeasonRow): void {
  tx.remove(leaderboardSeasons, season);
  tx.insert(retiredSeasons, { id: season.id, gameId: season.gameId });
}

function scheduleColumns(
  schedule: Schedule | null,
  now: number,
): Pick<LeaderboardRow, 'schedule' | 'timeZone' | 'nextEndAt'> {
  return {
    schedule: schedule?.cron ?? null,
    timeZone: schedule?.timeZone ?? 'UTC',
    nextEndAt: endAfter(schedule, now),
  };
}

function scheduleOf({ schedule, timeZone }: LeaderboardRow): Schedule | null {
  return schedule === null ? null : { cron: schedule, timeZone };
}

/** The first scheduled end after `now`; missed ones are skipped. */
function endAfter(schedule: Schedule | null, now: number): number {
  return (schedule && nextTime(schedule, now)) ?? never;
}
