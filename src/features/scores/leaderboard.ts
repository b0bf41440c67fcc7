import { z } from 'zod';
import type { Reason } from '../../core/errors.ts';
import { id, text, timestamp } from '../../core/schemas/fields.ts';
import { grouped } from '../../core/schemas/grouped.ts';
import { holdsInfinity } from '../../core/schemas/json-value.ts';
import { nameText } from '../../core/schemas/names.ts';
import { cron, timeZone } from '../../core/schemas/schedule.ts';
import { notSeen, seenByOthers } from '../../core/schemas/seen-text.ts';

/** The leaderboard that every game has, ranked by the game's policy. */
export const defaultLeaderboard = 'default';

/** Maximum leaderboards per game, besides `default`. */
export const maxLeaderboards = 100;
/** Maximum length of a label, in characters. */
export const maxLabel = 64;
/** Maximum labels per leaderboard: enough for one per country. */
export const maxLabels = 300;
/** Maximum size of a score's metadata, in bytes of JSON in UTF-8. */
const maxMetadataBytes = 1_024;
/** Maximum players whose places are read per request. */
export const maxAmong = 100;

export const leaderboardName = notSeen(
  text(1, 64).regex(
    /^[a-z0-9]+([-_][a-z0-9]+)*$/,
    'must be lowercase letters, digits and single hyphens or underscores',
  ),
  'choice',
);

/** A leaderboard's name in a request: any text, so that unknown and malformed names get the same response. */
export const leaderboardInput = notSeen(text(0, 200), 'choice')
  .transform((name) => name || undefined)
  .optional()
  .meta({ description: 'Name of the leaderboard; omitted: `default`' });

export const scoreLabel = nameText(1, maxLabel);

/** A score's label in a request, one of the leaderboard's; empty counts as omitted. */
export const labelInput = notSeen(
  text(0, maxLabel)
    .transform((label) => label || undefined)
    .optional(),
  'choice',
);

export const metadataInput = seenByOthers(
  z
    .record(z.string(), z.unknown())
    .refine((value) => !holdsInfinity(value), {
      error: 'has a number that is too large, such as 1e999: send it as a string',
      params: { reason: 'number_not_exact' satisfies Reason },
    })
    .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= maxMetadataBytes, {
      error: `must be at most ${grouped(maxMetadataBytes)} bytes as JSON`,
    }),
  { as: 'data', mute: 'call' },
)
  .optional()
  .meta({
    description: `Custom data such as a replay URL or a character, at most ${maxMetadataBytes} bytes as JSON`,
  });

export const keepRule = z.enum(['best', 'latest', 'sum', 'count']);
export const entryRule = z.enum(['player', 'all']);

/** A season schedule in a request. */
export const scheduleInput = z.object({ cron, timeZone: timeZone.default('UTC') });

export const keepSeasonsInput = z.int().min(0).max(10_000);

/** How a leaderboard is ranked; immutable after it is created. */
export const leaderboardRules = {
  keep: keepRule.meta({ description: "Which of a player's scores counts, or how they are aggregated" }),
  order: z.enum(['desc', 'asc']).meta({ description: '`desc`: higher is better. `asc`: lower is better' }),
  entries: entryRule.meta({
    description: '`player`: each player has one entry. `all`: every score is a separate entry',
  }),
};

/** A leaderboard as anyone may see it. */
export const leaderboardSummary = z
  .object({
    leaderboard: z.string(),
    ...leaderboardRules,
    labels: z.array(z.string()),
    season: z.int().min(1),
    seasonStartedAt: timestamp,
    seasonEndsAt: timestamp
      .nullable()
      .meta({ description: 'When the season ends by its schedule; null: no schedule' }),
  })
  .meta({ id: 'LeaderboardSummary' });
export type LeaderboardSummary = z.infer<typeof leaderboardSummary>;

/** A leaderboard as administrators see it. */
export const leaderboardRecord = leaderboardSummary
  .extend({
    gameId: id,
    public: z.boolean(),
    schedule: z.object({ cron, timeZone }).nullable(),
    keepSeasons: z
      .int()
      .min(0)
      .nullable()
      .meta({ description: 'How many finished seasons are kept; null: all' }),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Leaderboard' });
export type LeaderboardRecord = z.infer<typeof leaderboardRecord>;

export const seasonRecord = z
  .object({ season: z.int().min(1), startedAt: timestamp, endedAt: timestamp })
  .meta({ id: 'LeaderboardSeason' });
export type SeasonRecord = z.infer<typeof seasonRecord>;

/** A season in a request. */
export const seasonInput = notSeen(z.int().min(1), 'choice')
  .optional()
  .meta({ description: 'Season number, starting at 1; omitted: the current season' });

/** The season a score is for. */
export const scoreSeasonInput = seasonInput.meta({
  description:
    'The season the score is for: refused unless it is the current one; omitted: the current season',
});

export type LeaderboardRules = {
  keep: z.infer<typeof keepRule>;
  order: 'desc' | 'asc';
  entries: z.infer<typeof entryRule>;
};

/** Changes to a leaderboard; omitted fields are kept. */
export interface LeaderboardChanges {
  public?: boolean | undefined;
  /** Added to the existing labels. */
  addLabels?: string[] | undefined;
  schedule?: { cron: string; timeZone: string } | null | undefined;
  keepSeasons?: number | null | undefined;
}

export interface NewLeaderboard extends LeaderboardRules {
  name: string;
  public: boolean;
  labels: string[];
  schedule: { cron: string; timeZone: string } | null;
  keepSeasons: number | null;
}

/** Selects a board: a season of a leaderboard (default: the current one), optionally only the scores with a label. */
export interface BoardChoice {
  /** Omitted: `default`. */
  leaderboard?: string | undefined;
  season?: number | undefined;
  label?: string | undefined;
}
