import type { Steps, Tx } from '../core/storage/command.ts';
import { DatabaseUnusableError } from '../core/storage/database-unusable.ts';
import type { AnyRow, AnyTable } from '../core/storage/table.ts';
import { rankRecord } from './entry-ranking.ts';
import {
  defaultLeaderboard,
  type LeaderboardRules,
  leaderboardName,
  maxLeaderboards,
} from './leaderboard.ts';
import {
  type LeaderboardRow,
  leaderboardRecords,
  leaderboardSeasons,
  leaderboards,
  neverEnds,
  type RecordRow,
  type SeasonRow,
} from './leaderboard-tables.ts';
import { directionOf } from './ranking.ts';
import { nextEnd, refuseUnusableSchedule } from './season-schedule.ts';
import { labelsOf, rulesOf } from './stored-leaderboard.ts';

/** A season of a leaderboard of the file. */
interface ImportedSeason {
  id: string;
  rules: LeaderboardRules;
  labels: readonly string[];
}

/**
 * Puts the leaderboards of a game in that have a name. Seasons get new ids, so that no file writes on another game's boards;
 * what counts on them follows from the records.
 */
export class LeaderboardImport {
  readonly #tx: Tx;
  readonly #rows = new Map<string, LeaderboardRow>();
  /** By their ids in the file. */
  readonly #seasons = new Map<string, ImportedSeason>();

  constructor(tx: Tx) {
    this.#tx = tx;
  }

  /** A row of one of the tables, whose columns hold what they may. @throws DatabaseUnusableError, GantryError */
  *add(table: AnyTable, row: AnyRow): Steps<void> {
    if (table === (leaderboards as AnyTable)) this.#addLeaderboard(row as LeaderboardRow);
    else if (table === (leaderboardSeasons as AnyTable)) this.#addSeason(row as SeasonRow);
    else yield* this.#addRecord(row as RecordRow);
  }

  #addLeaderboard(row: LeaderboardRow): void {
    const { name, timeZone } = row;
    leaderboardName.parse(name);
    if (name === defaultLeaderboard || this.#rows.size >= maxLeaderboards) {
      throw new DatabaseUnusableError('The file has too many leaderboards, or one that every game has');
    }
    const schedule = row.schedule === null ? null : { cron: row.schedule, timeZone };
    if (schedule) refuseUnusableSchedule(schedule, this.#tx.now);
    // A season that was to end meanwhile goes on to the next time.
    const nextEndAt = (schedule && nextEnd(schedule, this.#tx.now)) ?? neverEnds;
    const kept = { ...row, nextEndAt, seasonId: this.#addSeasonOf(row, row.seasonId) };
    this.#rows.set(name, kept);
    this.#tx.insert(leaderboards, kept);
  }

  #addSeason(row: SeasonRow): void {
    const of = this.#rows.get(row.leaderboard);
    if (!of || row.season >= of.season) {
      throw new DatabaseUnusableError('A record of leaderboard_seasons is of no leaderboard of the file');
    }
    this.#tx.insert(leaderboardSeasons, { ...row, id: this.#addSeasonOf(of, row.id) });
  }

  *#addRecord(row: RecordRow): Steps<void> {
    const season = this.#seasons.get(row.board);
    if (!season || (row.label !== null && !season.labels.includes(row.label))) {
      throw new DatabaseUnusableError('A record of leaderboard_records is of no season or label of the file');
    }
    const { rules } = season;
    const after = { ...row, board: season.id, sortScore: row.score * directionOf(rules.order) };
    this.#tx.insert(leaderboardRecords, after);
    const [last = after] =
      rules.keep === 'latest'
        ? yield* this.#tx.list(leaderboardRecords.byUpdate, [row.stream, season.id], { limit: 1, last: true })
        : [];
    yield* rankRecord(this.#tx, rules, { before: undefined, after: last, at: row.reachedAt });
  }

  #addSeasonOf(row: LeaderboardRow, idInFile: string): string {
    if (this.#seasons.has(idInFile)) throw new DatabaseUnusableError('The file has a season twice');
    const season = { id: this.#tx.newId(), rules: rulesOf(row), labels: labelsOf(row) };
    this.#seasons.set(idInFile, season);
    return season.id;
  }
}
