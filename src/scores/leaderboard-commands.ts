import { streamOf } from '../core/events/stream.ts';
import { lockGame } from '../core/events/stream-locks.ts';
import {
  command,
  type ExclusiveTx,
  exclusiveCommand,
  forEach,
  type Steps,
  type Tx,
} from '../core/storage/command.ts';
import { GantryError } from '../errors.ts';
import { games } from '../games/tables.ts';
import { seasonEnded } from './events.ts';
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
  neverEnds,
  type RecordRow,
  type RetiredSeasonRow,
  retiredSeasons,
  type SeasonRow,
} from './leaderboard-tables.ts';
import { prizeRuns } from './prize-tables.ts';
import { startPrizes } from './season-prizes.ts';
import { nextEnd, refuseUnusableSchedule, type SeasonSchedule } from './season-schedule.ts';
import { labelBoardOf, labelsOf, toLeaderboardRecord } from './stored-leaderboard.ts';

/** How many finished seasons are looked at in one command, for those beyond what is kept. */
const retiredAtOnce = 20;
/** How many retired seasons are looked at first for one that can be cleared; each further look is at four times as many. */
const seasonsSeenAtOnce = 20;
/** How many finished seasons go in one command with a leaderboard that is deleted. */
const deletedAtOnce = 500;
/** How many records of a season that nobody sees any more are deleted at a time. */
const clearedAtOnce = 200;

/**
 * Creates a leaderboard, whose first season begins.
 * @throws GantryError `game_unknown`, `leaderboard_name_taken`, `leaderboard_limit_reached`, `schedule_invalid`
 */
export const addLeaderboard = command(
  'addLeaderboard',
  function* (tx: Tx, gameId: string, made: NewLeaderboard): Steps<LeaderboardRecord> {
    const [game] = yield* tx.all(tx.lock(games, gameId), tx.lock(leaderboards, [gameId, made.name]));
    if (!game) throw new GantryError('game_unknown', 'There is no game with this id');
    const there = yield* tx.list(leaderboards.byGame, [gameId], { limit: maxLeaderboards });
    if (made.name === defaultLeaderboard || there.some(({ name }) => name === made.name)) {
      throw new GantryError(
        'leaderboard_name_taken',
        'The game has a leaderboard with this name; give another name',
      );
    }
    if (there.length >= maxLeaderboards) {
      throw new GantryError(
        'leaderboard_limit_reached',
        `A game has at most ${maxLeaderboards} leaderboards; remove one first`,
      );
    }
    if (made.schedule) refuseUnusableSchedule(made.schedule, tx.now);
    const row: LeaderboardRow = {
      gameId,
      name: made.name,
      keep: made.keep,
      sortOrder: made.order,
      entries: made.entries,
      isPublic: made.public ? 1 : 0,
      labels: JSON.stringify([...new Set(made.labels)]),
      seasonId: tx.newId(),
      season: 1,
      seasonStartedAt: tx.now,
      ...scheduled(made.schedule, tx.now),
      keepSeasons: made.keepSeasons,
      createdAt: tx.now,
      updatedAt: tx.now,
    };
    tx.insert(leaderboards, row);
    return toLeaderboardRecord(row);
  },
);

/**
 * Changes what is given. Seasons beyond what is then kept go with the next one that ends.
 * @throws GantryError `leaderboard_unknown`, `label_limit_reached`, `schedule_invalid`
 */
export const changeLeaderboard = command(
  'changeLeaderboard',
  function* (tx: Tx, gameId: string, name: string, changes: LeaderboardChanges): Steps<LeaderboardRecord> {
    const row = yield* lockLeaderboard(tx, gameId, name);
    const labels = [...new Set([...labelsOf(row), ...(changes.addLabels ?? [])])];
    if (labels.length > maxLabels) {
      throw new GantryError('label_limit_reached', `A leaderboard has at most ${maxLabels} labels`);
    }
    if (changes.schedule) refuseUnusableSchedule(changes.schedule, tx.now);
    const changed: LeaderboardRow = {
      ...row,
      isPublic: changes.public === undefined ? row.isPublic : changes.public ? 1 : 0,
      labels: JSON.stringify(labels),
      ...(changes.schedule === undefined ? {} : scheduled(changes.schedule, tx.now)),
      keepSeasons: changes.keepSeasons === undefined ? row.keepSeasons : changes.keepSeasons,
      updatedAt: tx.now,
    };
    tx.put(leaderboards, changed);
    return toLeaderboardRecord(changed);
  },
);

/**
 * Deletes a leaderboard with its seasons; scores are deleted a few at a time, in the background. Of very many finished
 * seasons some go with each call, the oldest first, and the leaderboard with the last of them: until then its name is taken,
 * so that no season of one made anew has the number of one that is still there. Prizes that were not given by then are not
 * given any more. True: it is gone; false: call again.
 * @throws GantryError `leaderboard_unknown`
 */
export const deleteLeaderboard = exclusiveCommand(
  'deleteLeaderboard',
  function* (
    tx: ExclusiveTx,
    gameId: string,
    name: string,
    seasonsAtOnce: number = deletedAtOnce,
  ): Steps<boolean> {
    const row = yield* lockLeaderboard(tx, gameId, name);
    const finished = yield* tx.list(leaderboardSeasons.byLeaderboard, [gameId, name], {
      limit: seasonsAtOnce + 1,
    });
    for (const season of finished.slice(0, seasonsAtOnce)) retire(tx, season);
    const prizes = yield* tx.list(prizeRuns.byLeaderboard, [gameId, name], { limit: deletedAtOnce + 1 });
    for (const run of prizes.slice(0, deletedAtOnce)) tx.remove(prizeRuns, run);
    if (finished.length > seasonsAtOnce || prizes.length > deletedAtOnce) return false;
    // From here on nobody writes what would then be of no leaderboard.
    yield* tx.recount(leaderboardEntries, tx.newId());
    tx.remove(leaderboards, row);
    tx.insert(retiredSeasons, { id: row.seasonId, gameId });
    return true;
  },
);

/**
 * Ends the season under way if it is this one, and begins the next. What was ranked stays as it is, on a board that nothing is
 * set on any more: however many players there are, nothing of theirs is touched. `isDue`: only where its schedule says so by
 * now. Answers the number of the season under way.
 * @throws GantryError `leaderboard_unknown`, `season_unknown` when there is no such season yet
 */
export const endSeason = exclusiveCommand(
  'endSeason',
  function* (
    tx: ExclusiveTx,
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
    // Has the other writes wait, and those that have read which season it is read again.
    yield* tx.recount(leaderboardEntries, seasonId);
    yield* lockGame(tx, gameId); // is let go of with what was written so far
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
        limit: retiredAtOnce,
      });
      for (const one of oldest) if (one.season <= last) retire(tx, one);
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
        nextSeasonEndsAt: next.nextEndAt === neverEnds ? null : next.nextEndAt,
      },
      { kind: 'game', gameId },
    );
    return next.season;
  },
);

/**
 * Deletes some of what was ranked in a season nobody sees any more, and whose prizes have all been given. True: there may be
 * more.
 */
export const clearRetiredSeason = command('clearRetiredSeason', function* (tx: Tx): Steps<boolean> {
  const season = yield* firstToClear(tx);
  if (!season) return false;
  const rows = yield* tx.list(leaderboardRecords.byScore, [season.id], { limit: clearedAtOnce });
  yield* removeRecords(tx, rows);
  if (rows.length < clearedAtOnce) tx.remove(retiredSeasons, season);
  return true;
});

function* firstToClear(tx: Tx): Steps<RetiredSeasonRow | undefined> {
  // However many wait for their prizes, such as those of an archived game, they hold up no other.
  for (let [seen, limit] = [0, seasonsSeenAtOnce]; ; [seen, limit] = [limit, 4 * limit]) {
    const seasons = yield* tx.list(retiredSeasons.inOrder, [], { limit });
    const unseen = seasons.slice(seen);
    const runs = yield* tx.all(...unseen.map(({ id }) => tx.list(prizeRuns.bySeason, [id], { limit: 1 })));
    const clearable = unseen.find((_, at) => runs[at]?.length === 0);
    if (clearable) return clearable;
    if (seasons.length < limit) return undefined;
  }
}

/** Removes records, and what counts of the same players on the same boards: for when all of theirs there go. */
export function* removeRecords(tx: Tx, rows: readonly RecordRow[]): Steps<void> {
  yield* forEach(tx, rows, function* (row) {
    const boards = row.label === null ? [row.board] : [row.board, labelBoardOf(row.board, row.label)];
    const keys = boards.flatMap((board) => [
      [board, row.stream, ''] as const,
      [board, row.stream, row.id] as const,
    ]);
    const found = yield* tx.all(...keys.map((key) => tx.get(leaderboardEntries, ...key)));
    for (const counting of found) if (counting) tx.remove(leaderboardEntries, counting);
    tx.remove(leaderboardRecords, row);
  });
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
  return new GantryError('season_unknown', 'The leaderboard has no such season, or keeps it no longer');
}

function retire(tx: Tx, season: SeasonRow): void {
  tx.remove(leaderboardSeasons, season);
  tx.insert(retiredSeasons, { id: season.id, gameId: season.gameId });
}

function scheduled(
  schedule: SeasonSchedule | null,
  now: number,
): Pick<LeaderboardRow, 'schedule' | 'timeZone' | 'nextEndAt'> {
  return {
    schedule: schedule?.cron ?? null,
    timeZone: schedule?.timeZone ?? 'UTC',
    nextEndAt: endAfter(schedule, now),
  };
}

function scheduleOf({ schedule, timeZone }: LeaderboardRow): SeasonSchedule | null {
  return schedule === null ? null : { cron: schedule, timeZone };
}

/** However many ends have gone by meanwhile, the next one is behind `now`. */
function endAfter(schedule: SeasonSchedule | null, now: number): number {
  return (schedule && nextEnd(schedule, now)) ?? neverEnds;
}
