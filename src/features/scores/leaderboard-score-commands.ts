import { GantryError } from '../../core/errors.ts';
import { ownerIn, streamOf } from '../../core/events/stream.ts';
import { lockPlayer, lockPlayerStream } from '../../core/events/stream-locks.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import { command, type Steps, type Tx } from '../../core/storage/command.ts';
import type { AnyTable } from '../../core/storage/table.ts';
import { policiesOf } from '../games/stored-game.ts';
import { games } from '../games/tables.ts';
import { addLocked, countedBytes, lockGameStorage, releaseBytes } from '../storage-quota/game-storage.ts';
import { rankRecord } from './entry-ranking.ts';
import { maxLeaderboards } from './leaderboard.ts';
import { leaderboardUnknown, seasonUnknown } from './leaderboard-commands.ts';
import {
  type LeaderboardRow,
  leaderboardRecords,
  leaderboardSeasons,
  leaderboards,
  type RecordRow,
} from './leaderboard-tables.ts';
import {
  audienceOf,
  type ScoreRecord,
  scoreCreated,
  scorePatched,
  scoreRemoved,
  toIntegerScore,
} from './score.ts';
import { labelsOf, rulesOf, toRecord } from './stored-leaderboard.ts';
import { directionOf } from './tables.ts';

export interface ScoreDetails {
  nonce?: string | undefined;
  sessionId?: string | undefined;
  label?: string | undefined;
  /** Default: the current season. */
  season?: number | undefined;
  metadata?: Record<string, unknown> | undefined;
  /** When it was reached; default: now. */
  at?: number | undefined;
  /** How a fraction is handled in a game with integer scores; default: `refuse`. */
  fractions?: 'refuse' | 'round' | undefined;
}

/**
 * Sets a score in the current season of a named leaderboard: overwrites the record under `nonce`, or, without a nonce,
 * always inserts a new record. A record keeps its session, label and metadata until it is given others.
 * @throws GantryError `leaderboard_unknown`, `label_unknown`, `season_ended`, `season_unknown`, `score_not_integer`,
 *   `score_sum_too_large`, `storage_full`
 */
export const setLeaderboardScore = command(
  'setLeaderboardScore',
  function* (
    tx,
    owner: Owner,
    name: string,
    requestedScore: number,
    { nonce, sessionId, label, season, metadata, at = tx.now, fractions = 'refuse' }: ScoreDetails = {},
  ): Steps<ScoreRecord> {
    const leaderboard = yield* tx.get(leaderboards, owner.gameId, name);
    if (!leaderboard) throw leaderboardUnknown();
    if (label !== undefined && !labelsOf(leaderboard).includes(label)) {
      throw new GantryError(
        'label_unknown',
        'The leaderboard has no such label; an administrator can add it',
      );
    }
    refuseOtherSeason(leaderboard, season);
    const board = leaderboard.seasonId;
    const stream = streamOf.player(owner.gameId, owner.wallet);
    const [, byNonce, byOwnId, game, inGame] = yield* tx.all(
      lockPlayerStream(tx, stream, owner.wallet),
      tx.get(leaderboardRecords.byNonce, board, stream, nonce ?? null),
      tx.get(leaderboardRecords, nonce ?? null),
      tx.get(games, owner.gameId),
      lockGameStorage(tx, owner.gameId),
    );
    const own =
      byOwnId?.stream === stream && byOwnId.board === board && byOwnId.nonce === null ? byOwnId : undefined;
    const before = byNonce ?? own;
    const policies = policiesOf(game, owner.gameId);
    const score = policies.scores === 'integer' ? toIntegerScore(requestedScore, fractions) : requestedScore;
    const rules = rulesOf(leaderboard);
    const row: Omit<RecordRow, 'revision'> = {
      id: before?.id ?? tx.newId(),
      board,
      stream,
      nonce: before ? before.nonce : (nonce ?? null),
      score,
      sortScore: score * directionOf(rules.order),
      reachedAt: before?.score === score ? before.reachedAt : at,
      updatedAt: at,
      sessionId: sessionId ?? before?.sessionId ?? null,
      label: label ?? before?.label ?? null,
      metadata: metadata === undefined ? (before?.metadata ?? null) : JSON.stringify(metadata),
    };
    const seasonRef = { leaderboard: name, season: leaderboard.season };
    const record = toRecord({ ...row, revision: 0 }, owner, seasonRef);
    const revision = tx.emit(stream, before ? scorePatched : scoreCreated, record, audienceOf(owner));
    const after: RecordRow = { ...row, revision };
    if (before) tx.put(leaderboardRecords, after);
    else tx.insert(leaderboardRecords, after);
    yield* addLocked(tx, inGame, recordBytes(after) - (before ? recordBytes(before) : 0), game);
    yield* rankRecord(tx, rules, { before, after, at });
    return record;
  },
);

/** @throws GantryError `season_ended`, `season_unknown` */
function refuseOtherSeason({ season: current }: LeaderboardRow, season = current): void {
  if (season === current) return;
  if (season > current) throw seasonUnknown();
  throw new GantryError(
    'season_ended',
    `Season ${season} of this leaderboard has ended, so the score was not set; the current season is ${current}`,
  );
}

/** Deletes a score from a named leaderboard, in any season. @throws GantryError `score_unknown` */
export function* deleteRecord(tx: Tx, gameId: string, scoreId: string): Steps<void> {
  const unknown = () => new GantryError('score_unknown', 'The game has no such score');
  const found = yield* tx.get(leaderboardRecords, scoreId);
  const owner = found && ownerIn(found.stream);
  if (!found || owner?.gameId !== gameId) throw unknown();
  const season = yield* findSeason(tx, gameId, found.board);
  if (!season) throw unknown();
  const [, before] = yield* tx.all(lockPlayer(tx, owner), tx.get(leaderboardRecords, scoreId));
  if (!before) throw unknown();
  tx.remove(leaderboardRecords, before);
  yield* releaseBytes(tx, gameId, recordBytes(before));
  yield* rankRecord(tx, rulesOf(season.leaderboard), { before, after: undefined, at: tx.now });
  const seasonRef = { leaderboard: season.leaderboard.name, season: season.number };
  tx.emit(before.stream, scoreRemoved, toRecord(before, owner, seasonRef), audienceOf(owner));
}

function recordBytes(row: RecordRow): number {
  return countedBytes(leaderboardRecords as AnyTable, row);
}

/** A season's leaderboard and number. */
function* findSeason(
  tx: Tx,
  gameId: string,
  seasonId: string,
): Steps<{ leaderboard: LeaderboardRow; number: number } | undefined> {
  const all = yield* tx.list(leaderboards.byGame, [gameId], { limit: maxLeaderboards });
  const current = all.find((row) => row.seasonId === seasonId);
  if (current) return { leaderboard: current, number: current.season };
  const finished = yield* tx.get(leaderboardSeasons.byId, seasonId);
  const leaderboard = finished && all.find(({ name }) => name === finished.leaderboard);
  return leaderboard && { leaderboard, number: finished.season };
}
