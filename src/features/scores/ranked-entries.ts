import { statement } from '../../core/storage/query.ts';
import type { RankedRows } from '../../core/storage/ranked-rows.ts';
import { type BoardKey, pageRows } from './board-rows.ts';
import type { LeaderboardRules } from './leaderboard.ts';
import { type EntryRow, leaderboardEntries } from './leaderboard-tables.ts';
import type { RankedScore } from './score.ts';
import { entryToRecord, type SeasonRef } from './stored-leaderboard.ts';

/** An entry of a named board, with the player's profile. */
interface RankedEntry
  extends Pick<EntryRow, 'scoreId' | 'nonce' | 'sortScore' | 'updatedAt' | 'label' | 'metadata'> {
  wallet: string;
  username: string;
  avatar: string;
}

const columns = 'stream_id, score_id, sort_score, reached_at, nonce, updated_at, label, metadata';

const withProfiles = (
  rows: string,
  also = '',
) => `SELECT ${also}b.score_id AS "scoreId", b.nonce, b.sort_score AS "sortScore",
      b.updated_at AS "updatedAt", b.label, b.metadata, s.wallet,
      coalesce(p.username, '') AS username, coalesce(p.avatar, '') AS avatar
    FROM (${rows}) AS b
    JOIN streams AS s ON s.id = b.stream_id
    LEFT JOIN players AS p ON p.wallet = s.wallet
    ORDER BY b.sort_score, b.reached_at, b.score_id`;

export const entryPage = statement<BoardKey & { limit: number; skip: number }, RankedEntry>(
  withProfiles(pageRows(leaderboardEntries.name, columns)),
);

/** Entries with their players' profiles. */
export const rankedEntries: RankedRows<RankedEntry> = { table: leaderboardEntries, select: withProfiles };

export function toRankedEntry(
  { wallet, username, avatar, ...row }: RankedEntry,
  { gameId, leaderboard, season, order }: SeasonRef & { gameId: string; order: LeaderboardRules['order'] },
): RankedScore {
  const record = entryToRecord(row, { gameId, wallet }, { leaderboard, season }, order);
  return { ...record, username, avatar };
}
