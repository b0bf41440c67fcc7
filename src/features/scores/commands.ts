import { GantryError } from '../../core/errors.ts';
import { ownerIn, playerStreamsOf, streamOf } from '../../core/events/stream.ts';
import { lockPlayer, lockPlayerStream } from '../../core/events/stream-locks.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import { command, type ExclusiveTx, type Steps, type Tx } from '../../core/storage/command.ts';
import { statement } from '../../core/storage/query.ts';
import type { AnyTable } from '../../core/storage/table.ts';
import type { LeaderboardPolicy } from '../games/game.ts';
import { policiesOf } from '../games/stored-game.ts';
import { type GameRow, games } from '../games/tables.ts';
import { addLocked, countedBytes, lockGameStorage, releaseBytes } from '../storage-quota/game-storage.ts';
import type { GameStorageRow } from '../storage-quota/tables.ts';
import { isDefault } from './board-rows.ts';
import { defaultLeaderboard } from './leaderboard.ts';
import { seasonUnknown } from './leaderboard-commands.ts';
import { deleteRecord, type ScoreDetails, setLeaderboardScore } from './leaderboard-score-commands.ts';
import {
  audienceOf,
  type ScoreRecord,
  scoreCreated,
  scorePatched,
  scoreRemoved,
  toIntegerScore,
} from './score.ts';
import {
  type BoardRow,
  board,
  directionOf,
  ranksBefore,
  type ScoreRow,
  scores,
  toBoardRow,
  toScoreRecord,
} from './tables.ts';

/**
 * Sets a score on a leaderboard (default: `default`).
 * @throws GantryError those of `setScore` and `setLeaderboardScore`; `season_unknown`: `default` has no seasons
 */
export const setBoardScore = command(
  'setBoardScore',
  (
    tx: Tx,
    owner: Owner,
    leaderboard: string | undefined,
    score: number,
    details: ScoreDetails = {},
  ): Steps<ScoreRecord> => {
    const name = leaderboard ?? defaultLeaderboard;
    if (!isDefault({ leaderboard: name })) return setLeaderboardScore(tx, owner, name, score, details);
    if (details.season !== undefined) throw seasonUnknown();
    return setScore(tx, owner, score, details.nonce, details);
  },
);

/**
 * Sets a score: overwrites the record under `nonce`, or, without a nonce, always inserts a record under a generated
 * one. In a game with integer scores a fraction is rejected or, with `fractions: 'round'`, rounded. A record keeps its
 * session and metadata until it is given others.
 * @throws GantryError `label_unknown`, `score_not_integer`, `storage_full`
 */
export const setScore = command(
  'setScore',
  function* (
    tx,
    owner: Owner,
    requestedScore: number,
    nonce?: string,
    { fractions = 'refuse', sessionId, label, metadata, at = tx.now }: Omit<ScoreDetails, 'nonce'> = {},
  ): Steps<ScoreRecord> {
    if (label !== undefined)
      throw new GantryError('label_unknown', 'The leaderboard `default` has no labels');
    const stream = streamOf.player(owner.gameId, owner.wallet);
    const { before, current, game, inGame } = yield* readForRanking(tx, owner, stream, nonce);
    const policies = policiesOf(game, owner.gameId);
    const policy = policies.leaderboard;
    const score = policies.scores === 'integer' ? toIntegerScore(requestedScore, fractions) : requestedScore;
    const row = {
      id: before?.id ?? tx.newId(),
      stream,
      nonce: before ? before.nonce : (nonce ?? null),
      score,
      reachedAt: before?.score === score ? before.reachedAt : at,
      updatedAt: at,
      sessionId: sessionId ?? before?.sessionId ?? null,
      metadata: metadata === undefined ? (before?.metadata ?? null) : JSON.stringify(metadata),
    };
    const record = toScoreRecord(row, owner);
    const revision = tx.emit(stream, before ? scorePatched : scoreCreated, record, audienceOf(owner));
    const written: ScoreRow = { ...row, revision };
    if (before) tx.put(scores, written);
    else tx.insert(scores, written);
    if (before?.metadata !== written.metadata) {
      const bytesBefore = before ? countedBytes(scores as AnyTable, before) : 0;
      yield* addLocked(tx, inGame, countedBytes(scores as AnyTable, written) - bytesBefore, game);
    }
    const candidate = toBoardRow(written, owner, policy);
    if (policy.keep === 'latest' || !current || ranksBefore(candidate, current)) tx.put(board, candidate);
    else if (before && current.scoreId === row.id) yield* rankPlayer(tx, owner, current, policy);
    return record;
  },
);

/** Deletes any player's score on any leaderboard, and updates the ranking. @throws GantryError `score_unknown` */
export const deleteScore = command(
  'deleteScore',
  function* (tx, gameId: string, scoreId: string): Steps<void> {
    const found = yield* tx.get(scores, scoreId);
    if (!found) return yield* deleteRecord(tx, gameId, scoreId);
    const owner = ownerIn(found.stream);
    if (owner?.gameId !== gameId) throw new GantryError('score_unknown', 'The game has no such score');
    const [, row, current, game] = yield* tx.all(
      lockPlayer(tx, owner),
      tx.get(scores, scoreId),
      tx.get(board, found.stream),
      tx.get(games, gameId),
    );
    if (!row) throw new GantryError('score_unknown', 'The game has no such score');
    tx.remove(scores, row);
    yield* releaseBytes(tx, gameId, countedBytes(scores as AnyTable, row));
    if (current?.scoreId === scoreId || policiesOf(game, gameId).leaderboard.keep === 'latest') {
      yield* rankPlayer(tx, owner, current, policiesOf(game, gameId).leaderboard);
    }
    tx.emit(row.stream, scoreRemoved, toScoreRecord(row, owner), audienceOf(owner));
  },
);

/** Rebuilds a game's ranking from all scores, after its policy has changed. */
export function* rankGame(tx: ExclusiveTx, gameId: string, { keep, order }: LeaderboardPolicy): Steps<void> {
  yield* tx.recount(board, gameId); // creates the game's board id where there is none
  const range = { gameId, ...playerStreamsOf(gameId) };
  yield* tx.run(clearBoard, { gameId });
  yield* tx.run(keep === 'best' ? rankBest : rankLatest, { ...range, direction: directionOf(order) });
  yield* tx.recount(board, gameId);
}

const clearBoard = statement<{ gameId: string }>(
  'DELETE FROM board WHERE board_id = (SELECT id FROM boards WHERE game_id = @gameId)',
);
const rankBest = rankBy('c.score * @direction, c.reached_at, c.id');
const rankLatest = rankBy('c.revision DESC');

/** Fills a game's board with each player's first record in the given order. */
function rankBy(order: string) {
  return statement<{ gameId: string; from: string; to: string; direction: number }>(
    `INSERT INTO board (stream_id, board_id, score_id, sort_score, reached_at)
      SELECT stream_id, (SELECT id FROM boards WHERE game_id = @gameId), id, score * @direction, reached_at FROM (
        SELECT c.*, row_number() OVER (PARTITION BY c.stream_id ORDER BY ${order}) AS place
        FROM streams AS s JOIN scores AS c ON c.stream_id = s.id WHERE s.name >= @from AND s.name < @to) AS ranked
      WHERE place = 1`,
  );
}

function* readForRanking(
  tx: Tx,
  owner: Owner,
  stream: string,
  nonce: string | undefined,
): Steps<{
  before: ScoreRow | undefined;
  current: BoardRow | undefined;
  game: GameRow | undefined;
  inGame: GameStorageRow;
}> {
  const [, byNonce, byOwnId, current, game, inGame] = yield* tx.all(
    lockPlayerStream(tx, stream, owner.wallet),
    tx.get(scores.byNonce, stream, nonce ?? null),
    tx.get(scores, nonce ?? null),
    tx.get(board, stream),
    tx.get(games, owner.gameId),
    lockGameStorage(tx, owner.gameId),
  );
  return { before: byNonce ?? ownRecord(byOwnId, stream), current, game, inGame };
}

/** A record with a generated nonce is found by its id, and only by its own player. */
export function ownRecord(row: ScoreRow | undefined, stream: string): ScoreRow | undefined {
  return row?.stream === stream && row.nonce === null ? row : undefined;
}

/** Ranks the player's best or latest record, by the policy; takes the player off the board when no record is left. */
function* rankPlayer(
  tx: Tx,
  owner: Owner,
  current: BoardRow | undefined,
  policy: LeaderboardPolicy,
): Steps<void> {
  const stream = streamOf.player(owner.gameId, owner.wallet);
  const [row] =
    policy.keep === 'latest'
      ? yield* tx.list(scores.byUpdate, [stream], { limit: 1, last: true })
      : yield* tx.list(policy.order === 'desc' ? scores.highest : scores.lowest, [stream], { limit: 1 });
  if (row) tx.put(board, toBoardRow(row, owner, policy));
  else if (current) tx.remove(board, current);
}
