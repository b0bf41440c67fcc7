import { z } from 'zod';
import { everyRole } from '../../../core/schemas/admin-role.ts';
import { idInput, success, timestamp } from '../../../core/schemas/fields.ts';
import type { Store } from '../../../core/storage/store.ts';
import { type GameCalls, gameCallsSample } from '../../../telemetry/game-calls.ts';
import { type Nodes, nodeRecord } from '../../../telemetry/nodes.ts';
import { type Stats, statsRange, statsSample } from '../../../telemetry/stats.ts';
import { requireGame } from '../../games/require-game.ts';
import { defineAdminOperation } from '../../operation.ts';
import { countPresentIn, type GameSessions } from '../game-sessions.ts';
import type { ServerSummary } from '../server-summary.ts';

export const getServerStats = defineAdminOperation({
  name: 'getServerStats',
  deprecatedNames: { serverFigures: '2026-11-20' },
  kind: 'read',
  summary: 'Get metrics of the responding node over the last five minutes, hour, day or week',
  roles: everyRole,
  input: z.object({
    range: statsRange.default('minutes').meta({
      description:
        'Beyond the last five minutes, a sample aggregates its period: mean rates, maximum counts and last sizes',
    }),
    after: z.int().min(0).default(0).meta({ description: 'Only samples taken later, in Unix milliseconds' }),
  }),
  output: z.object({
    success,
    startedAt: timestamp
      .nullable()
      .meta({ description: 'Null on the command line, where no metrics are collected' }),
    everyMs: z.int().meta({ description: 'Interval between samples in milliseconds' }),
    samples: z.array(statsSample).meta({ description: 'Oldest first' }),
  }),
  async handler({ input }, { stats }: { stats: Stats }) {
    const { after, range } = input;
    const samples = stats.samples(after, range);
    return { success: true, startedAt: stats.startedAt, everyMs: stats.everyMs(range), samples };
  },
});

/** The longest period that sessions are counted over, in milliseconds: covers "today" in any time zone. */
const longestMs = 48 * 60 * 60 * 1000;

export const serverSummary = defineAdminOperation({
  name: 'serverSummary',
  kind: 'read',
  summary:
    "Get the running nodes, the number of players in games, today's sessions and players, and the storage of each game",
  roles: everyRole,
  input: z.object({
    since: z.int().min(0).optional().meta({
      description: 'Start of today in Unix milliseconds, at most 48 hours ago; default: midnight UTC',
    }),
  }),
  output: z.object({
    success,
    nodes: z
      .array(nodeRecord)
      .meta({ description: 'Oldest first; empty on the command line, where no node runs' }),
    playing: z.int().meta({ description: 'Players who have a game open, on all nodes' }),
    today: z.object({
      since: timestamp,
      sessions: z.int().meta({ description: 'Channel sessions opened since' }),
      players: z.int().meta({ description: 'Players who opened a channel session since' }),
    }),
    storage: z
      .array(z.object({ gameId: z.string(), bytes: z.int(), quota: z.int(), players: z.int() }))
      .meta({
        description:
          'Bytes stored by each game, its quota in bytes, and its number of players with states, play sessions or messages; largest first, at most a minute old',
      }),
  }),
  async handler(
    { input },
    {
      db,
      nodes,
      summary,
      players,
    }: { db: Store; nodes: Nodes; summary: ServerSummary; players: { playingAny(): number } },
  ) {
    const now = db.now();
    const midnight = new Date(now).setUTCHours(0, 0, 0, 0);
    const since = Math.max(input.since ?? midnight, now - longestMs);
    const [running, opened, storage] = await Promise.all([
      nodes.list(),
      summary.openedSince(since),
      summary.storageByGame(),
    ]);
    const playing = players.playingAny();
    return { success: true, nodes: running, playing, today: { since, ...opened }, storage };
  },
});

/** The longest period for which sessions are counted by day, in days. */
const maxDays = 14;
/** Longer than such a period in which a clock is put back. */
const maxDaysMs = (maxDays * 24 + 2) * 60 * 60 * 1000;
const dayMs = 24 * 60 * 60 * 1000;

export const getGameStats = defineAdminOperation({
  name: 'getGameStats',
  kind: 'read',
  summary:
    "Get a game's sessions and players by day, how many play and are online now, and its calls to the responding node",
  roles: everyRole,
  input: z.object({
    gameId: idInput,
    since: z
      .int()
      .min(0)
      .optional()
      .meta({
        description: `Start of the first day in Unix milliseconds, at most ${maxDays} days ago; default, and for an earlier time: midnight UTC, ${maxDays - 1} days ago`,
      }),
    dayStarts: z
      .array(z.int().min(0))
      .min(1)
      .max(maxDays)
      .refine((starts) => starts.every((at, index) => at > (starts[index - 1] ?? -1)), {
        error: 'must be in ascending order',
      })
      .optional()
      .meta({
        description: `Starts of the days in Unix milliseconds, in place of \`since\`, for days that are not all 24 hours long: local ones when the clock changes`,
      }),
  }),
  output: z.object({
    success,
    playing: z.int().meta({ description: 'Players who have the game open, on all nodes' }),
    online: z.int().meta({ description: 'Sessions in the game that are online' }),
    days: z.array(z.object({ at: timestamp, sessions: z.int(), players: z.int() })).meta({
      description: 'Sessions opened on each day since and the players who opened them; without empty days',
    }),
    callsEveryMs: z.int().meta({ description: 'Length of a period of `calls` in milliseconds' }),
    calls: z.array(gameCallsSample).meta({
      description:
        'Calls of the last day by period, oldest first; empty on the command line, where no calls are counted',
    }),
  }),
  async handler(
    { input: { gameId, since, dayStarts } },
    {
      db,
      gameSessions,
      gameCalls,
      players,
    }: {
      db: Store;
      gameSessions: GameSessions;
      gameCalls: GameCalls;
      players: { playing(gameId: string): number };
    },
  ) {
    const game = await requireGame(db, gameId);
    const now = db.now();
    const midnight = new Date(now).setUTCHours(0, 0, 0, 0) - (maxDays - 1) * dayMs;
    // A start that moves with the clock would be counted from the beginning by every poll.
    const [first = since] = dayStarts ?? [];
    const from = first !== undefined && first >= now - maxDaysMs ? first : midnight;
    const starts =
      dayStarts && from === first
        ? dayStarts
        : Array.from({ length: maxDays + 1 }, (_, index) => from + index * dayMs);
    const [online, days] = await Promise.all([
      db.read(countPresentIn, game.id),
      gameSessions.byDay(game.id, starts),
    ]);
    return {
      success: true,
      playing: players.playing(game.id),
      online,
      days,
      callsEveryMs: gameCalls.everyMs,
      calls: gameCalls.samples(game.id),
    };
  },
});
