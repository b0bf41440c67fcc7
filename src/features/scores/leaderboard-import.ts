import { never, nextTime } from '../../core/schemas/schedule.ts';
import type { Steps, Tx } from '../../core/storage/command.ts';
import { DatabaseUnusableError } from '../../core/storage/database-unusable.ts';
import type { AnyRow, AnyTable } from '../../core/storage/table.ts';
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
  type RecordRow,
  type SeasonRow,
} from './leaderboard-tables.ts';
import { refuseSeasonSchedule } from './season-schedule.ts';
import { labelsOf, rulesOf } from './stored-leaderboard.ts';
import { directionOf } from './tables.ts';

/** A season of a leaderboard in the file, under its new id. */
interface ImportedSeason {
  id: string;
  rules: LeaderboardRules;
  labels: readonly string[];
}

/**
 * Imports a game's named leaderboards. Seasons get new ids, so that a file cannot write to another game's boards;
 * entries are derived from the records.
 */
export class LeaderboardImport {
  readonly #tx: Tx;
  readonly #rows = new Map<string, LeaderboardRow>();
  /** By their ids in the file. */
  readonly #seasons = new Map<string, ImportedSeason>();

  constructor(tx: Tx) {
    this.#tx = tx;
  }

  /**
   * Imports a row of a leaderboard table, whose columns are valid already.
   * @throws DatabaseUnusableError, GantryError
   */
  *add(table: AnyTable, row: AnyRow): Steps<void> {
    if (table === leaderboards) this.#addLeaderboard(row as LeaderboardRow);
    else if (table === leaderboardSeasons) this.#addSeason(row as SeasonRow);
    else yield* this.#addRecord(row as RecordRow);
  }

  #addLeaderboard(row: LeaderboardRow): void {
    const { name, timeZone } = row;
    leaderboardName.parse(name);
    if (name === defaultLeaderboard || this.#rows.size >= maxLeaderboards) {
      throw new DatabaseUnusableError('The file has too many leaderboards, or one named default');
    }
    const schedule = row.schedule === null ? null : { cron: row.schedule, timeZone };
    if (schedule) refuseSeasonSchedule(schedule, this.#tx.now);
    // A season whose end has passed since the export runs until the next scheduled end.
    const nextEndAt = (schedule && nextTime(schedule, this.#tx.now)) ?? never;
    const stored = { ...row, nextEndAt, seasonId: this.#registerSeason(row, row.seasonId) };
    this.#rows.set(name, stored);
    this.#tx.insert(leaderboards, stored);
  }

  #addSeason(row: SeasonRow): void {
    const leaderboard = this.#rows.get(row.leaderboard);
    if (!leaderboard || row.season >= leaderboard.season) {
      throw new DatabaseUnusableError(
        'A record of leaderboard_seasons belongs to no leaderboard in the file',
      );
    }
    this.#tx.insert(leaderboardSeasons, { ...row, id: this.#registerSeason(leaderboard, row.id) });
  }

  *#addRecord(row: RecordRow): Steps<void> {
    const season = this.#seasons.get(row.board);
    if (!season || (row.label !== null && !season.labels.includes(row.label))) {
      throw new DatabaseUnusableError(
        'A record of leaderboard_records belongs to no season or label in the file',
      );
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

  #registerSeason(row: LeaderboardRow, idInFile: string): string {
    if (this.#seasons.has(idInFile)) throw new DatabaseUnusableError('The file contains a season twice');
    const season = { id: this.#tx.newId(), rules: rulesOf(row), labels: labelsOf(row) };
    this.#seasons.set(idInFile, season);
    return season.id;
  }
}
