import { streamOf } from '../../core/events/stream.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import type { Page } from '../../core/schemas/paging.ts';
import { query, type Read, type ReadSteps } from '../../core/storage/query.ts';
import { ownRecord } from './commands.ts';
import type { ScoreRecord } from './score.ts';
import { scores, toScoreRecord } from './tables.ts';

/** The most recently set record, or the one under `nonce`; null when there is none. */
export const findScore = query(
  'findScore',
  function* (read, owner: Owner, nonce?: string): ReadSteps<ScoreRecord | null> {
    const [found] = yield* recordsOf(read, owner, { limit: 1, skip: 0 }, nonce);
    return found ?? null;
  },
);

/** A player's records, most recently set first; or the one under `nonce`. */
export const listScores = query('listScores', recordsOf);

/** How many records a player has. */
export const countScores = query(
  'countScores',
  function* (read, { gameId, wallet }: Owner): ReadSteps<number> {
    return yield* read.count(scores.byUpdate, [streamOf.player(gameId, wallet)]);
  },
);

function* recordsOf(
  read: Read,
  owner: Owner,
  { limit, skip }: Page,
  nonce?: string,
): ReadSteps<ScoreRecord[]> {
  const stream = streamOf.player(owner.gameId, owner.wallet);
  if (nonce === undefined) {
    const rows = yield* read.list(scores.byUpdate, [stream], { limit, skip, last: true });
    return rows.map((row) => toScoreRecord(row, owner));
  }
  const row =
    (yield* read.get(scores.byNonce, stream, nonce)) ?? ownRecord(yield* read.get(scores, nonce), stream);
  return row && skip === 0 && limit > 0 ? [toScoreRecord(row, owner)] : [];
}
