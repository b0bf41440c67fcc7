import { v5 } from 'uuid';
import { z } from 'zod';
import type { Owner } from '../../core/schemas/owner.ts';
import { never } from '../../core/schemas/schedule.ts';
import {
  defaultLeaderboard,
  entryRule,
  keepRule,
  type LeaderboardRecord,
  type LeaderboardRules,
  type LeaderboardSummary,
  type SeasonRecord,
} from './leaderboard.ts';
import type { EntryRow, LeaderboardRow, RecordRow, SeasonRow } from './leaderboard-tables.ts';
import type { ScoreRecord } from './score.ts';
import { directionOf, toScoreRecord } from './tables.ts';

const order = z.enum(['desc', 'asc']);
const labels = z.array(z.string());

export function rulesOf(row: Pick<LeaderboardRow, 'keep' | 'sortOrder' | 'entries'>): LeaderboardRules {
  return {
    keep: keepRule.parse(row.keep),
    order: order.parse(row.sortOrder),
    entries: entryRule.parse(row.entries),
  };
}

export function labelsOf(row: Pick<LeaderboardRow, 'labels'>): string[] {
  return labels.parse(JSON.parse(row.labels));
}

/** The id of a label's board in a season: scores with a label are also ranked separately. */
export function labelBoardOf(seasonId: string, label: string): string {
  return v5(label, seasonId);
}

export function toLeaderboardSummary(row: LeaderboardRow): LeaderboardSummary {
  return {
    leaderboard: row.name,
    ...rulesOf(row),
    labels: labelsOf(row),
    season: row.season,
    seasonStartedAt: row.seasonStartedAt,
    seasonEndsAt: row.nextEndAt === never ? null : row.nextEndAt,
  };
}

export function toLeaderboardRecord(row: LeaderboardRow): LeaderboardRecord {
  return {
    ...toLeaderboardSummary(row),
    gameId: row.gameId,
    public: row.isPublic === 1,
    schedule: row.schedule === null ? null : { cron: row.schedule, timeZone: row.timeZone },
    keepSeasons: row.keepSeasons,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

export function toSeasonRecord({ season, startedAt, endedAt }: SeasonRow): SeasonRecord {
  return { season, startedAt, endedAt };
}

/** The season of a leaderboard in which a score was set. */
export interface SeasonRef {
  leaderboard: string;
  season: number;
}

/** A stored score as clients see it. */
export function toRecord(row: RecordRow, owner: Owner, seasonRef: SeasonRef): ScoreRecord {
  return toScoreRecord(row, owner, { ...seasonRef, ...(row.label === null ? {} : { label: row.label }) });
}

/** A ranked row of a board as clients see it. */
export function entryToRecord(
  row: Pick<EntryRow, 'scoreId' | 'nonce' | 'sortScore' | 'updatedAt' | 'label' | 'metadata'> & {
    score?: number | null;
  },
  wallet: string,
  { gameId, leaderboard, season, order }: SeasonRef & { gameId: string; order: LeaderboardRules['order'] },
): ScoreRecord {
  return {
    _id: row.scoreId,
    nonce: row.nonce ?? row.scoreId,
    gameId,
    normalizedAddress: wallet,
    // + 0 turns −0 into 0
    score: row.score ?? row.sortScore * directionOf(order) + 0,
    updatedAt: row.updatedAt,
    ...(leaderboard === defaultLeaderboard ? {} : { leaderboard, season }),
    ...(row.label === null ? {} : { label: row.label }),
    ...(row.metadata === null ? {} : { metadata: JSON.parse(row.metadata) as Record<string, unknown> }),
  };
}
