import { playerStreamsOf, streamOf } from '../core/events/stream.ts';
import { lockPlayer, lockPlayerStream } from '../core/events/stream-locks.ts';
import type { Owner } from '../core/schemas/owner.ts';
import { command, type ExclusiveTx, type Steps, type Tx } from '../core/storage/command.ts';
import type { Lookup, LookupSteps } from '../core/storage/lookup.ts';
import { statement } from '../core/storage/statement.ts';
import { GantryError } from '../errors.ts';
import type { GamePolicies, LeaderboardPolicy } from '../games/game.ts';
import { policiesOf } from '../games/stored-game.ts';
import { games } from '../games/tables.ts';
import { scoreCreated, scorePatched, scoreRemoved } from './events.ts';
import { deleteRecord } from './leaderboard-score-commands.ts';
import { directionOf, ranksBefore, toBoardRow } from './ranking.ts';
import type { ScoreRecord } from './score.ts';
import { audienceOf, ownerIn, wholeScore } from './score-rules.ts';
import { toScoreRecord } from './stored-score.ts';
import { type BoardRow, board, type ScoreRow, scores } from './tables.ts';

/**
 * Sets a score: over the record under `nonce`, or without one, always as a new record under a nonce of its own. In a game of
 * whole scores, a fraction is refused or, with `fractions` `round`, rounded. A record keeps its `sessionId` until it is given
 * another.
 * @throws GantryError `score_not_integer`
 */
export const setScore = command(
  'setScore',
  function* (
    tx: Tx,
    owner: Owner,
    given: number,
    nonce?: string,
    {
      fractions = 'refuse',
      sessionId,
    }: { fractions?: 'refuse' | 'round'; sessionId?: string | undefined } = {},
  ): Steps<ScoreRecord> {
    const stream = streamOf.player(owner.gameId, owner.wallet);
    const [, before, counting, policies] = yield* readForRanking(tx, owner, stream, nonce);
    const policy = policies.leaderboard;
    const score = policies.scores === 'integer' ? wholeScore(given, fractions) : given;
    const row = {
      id: before?.id ?? tx.newId(),
      stream,
      nonce: before ? before.nonce : (nonce ?? null),
      score,
      reachedAt: before?.score === score ? before.reachedAt : tx.now,
      updatedAt: tx.now,
      sessionId: sessionId ?? before?.sessionId ?? null,
    };
    const record = toScoreRecord(row, owner);
    const revision = tx.emit(stream, before ? scorePatched : scoreCreated, record, audienceOf(owner));
    const written: ScoreRow = { ...row, revision };
    if (before) tx.put(scores, written);
    else tx.insert(scores, written);
    const ranked = toBoardRow(written, owner, policy);
    if (policy.keep === 'latest' || !counting || ranksBefore(ranked, counting)) tx.put(board, ranked);
    else if (before && counting.scoreId === row.id) yield* rankPlayer(tx, owner, counting, policy);
    return record;
  },
);

/** Takes a score away, whoever's it is and on whichever leaderboard, which follows. @throws GantryError `score_unknown` */
export const deleteScore = command(
  'deleteScore',
  function* (tx: Tx, gameId: string, scoreId: string): Steps<void> {
    const found = yield* tx.get(scores, scoreId);
    if (!found) return yield* deleteRecord(tx, gameId, scoreId);
    const owner = ownerIn(found.stream);
    if (owner?.gameId !== gameId) throw new GantryError('score_unknown', 'The game has no such score');
    const [, row, counting, game] = yield* tx.all(
      lockPlayer(tx, owner),
      tx.get(scores, scoreId),
      tx.get(board, found.stream),
      tx.get(games, gameId),
    );
    if (!row) throw new GantryError('score_unknown', 'The game has no such score');
    tx.remove(scores, row);
    if (counting?.scoreId === scoreId || policiesOf(game, gameId).leaderboard.keep === 'latest') {
      yield* rankPlayer(tx, owner, counting, policiesOf(game, gameId).leaderboard);
    }
    tx.emit(row.stream, scoreRemoved, toScoreRecord(row, owner), audienceOf(owner));
  },
);

/** The score under a nonce, or the one that counts on the leaderboard; undefined where there is none. */
export function* currentScore<Asked>(
  from: Lookup<Asked>,
  owner: Owner,
  nonce: string | undefined,
): LookupSteps<Asked, number | undefined> {
  if (nonce !== undefined) return (yield* recordUnder(from, owner, nonce))?.score;
  const counting = yield* from.get(board, streamOf.player(owner.gameId, owner.wallet));
  if (!counting) return undefined;
  const game = yield* from.get(games, owner.gameId);
  // + 0: −0 is a score of 0
  return counting.sortScore * directionOf(policiesOf(game, owner.gameId).leaderboard.order) + 0;
}

/** Ranks every player of a game again, out of all scores, after its policy has changed. */
export function* rankGame(tx: ExclusiveTx, gameId: string, { keep, order }: LeaderboardPolicy): Steps<void> {
  yield* tx.recount(board, gameId); // has a number for the game
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

/** Fills a game's board with the first record of each player in the given order. */
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
): Steps<[unknown, ScoreRow | undefined, BoardRow | undefined, GamePolicies]> {
  const [locked, byNonce, byOwnId, counting, game] = yield* tx.all(
    lockPlayerStream(tx, stream, owner.wallet),
    tx.get(scores.byNonce, stream, nonce ?? null),
    tx.get(scores, nonce ?? null),
    tx.get(board, stream),
    tx.get(games, owner.gameId),
  );
  const before = byNonce ?? ownRecord(byOwnId, stream);
  return [locked, before, counting, policiesOf(game, owner.gameId)];
}

function* recordUnder<Asked>(
  from: Lookup<Asked>,
  owner: Owner,
  nonce: string,
): LookupSteps<Asked, ScoreRow | undefined> {
  const stream = streamOf.player(owner.gameId, owner.wallet);
  const byNonce = yield* from.get(scores.byNonce, stream, nonce);
  return byNonce ?? ownRecord(yield* from.get(scores, nonce), stream);
}

/** A record whose nonce the server made is found by its id, by its player only. */
export function ownRecord(row: ScoreRow | undefined, stream: string): ScoreRow | undefined {
  return row?.stream === stream && row.nonce === null ? row : undefined;
}

/** Finds the record that counts for the player among all there are. */
function* rankPlayer(
  tx: Tx,
  owner: Owner,
  counting: BoardRow | undefined,
  policy: LeaderboardPolicy,
): Steps<void> {
  const stream = streamOf.player(owner.gameId, owner.wallet);
  const [row] =
    policy.keep === 'latest'
      ? yield* tx.list(scores.byUpdate, [stream], { limit: 1, last: true })
      : yield* tx.list(policy.order === 'desc' ? scores.highest : scores.lowest, [stream], { limit: 1 });
  if (row) tx.put(board, toBoardRow(row, owner, policy));
  else if (counting) tx.remove(board, counting);
}
