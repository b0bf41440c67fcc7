import { z } from 'zod';

/** What the process that holds a day's launchers is asked to do, and what it answers. */
export const dayJob = z.discriminatedUnion('kind', [
  /** Connects a launcher for each token; the first so many follow the game's leaderboard. */
  z.object({
    kind: z.literal('connect'),
    url: z.string(),
    tokens: z.array(z.string()),
    followers: z.int(),
  }),
  z.object({
    kind: z.literal('play'),
    seconds: z.number(),
    gameId: z.string(),
    /** The first so many launchers play. */
    players: z.int(),
    /** Members are places in the list of tokens. */
    channels: z.array(z.object({ id: z.string(), members: z.array(z.int()) })),
    /** When, in seconds, and how many launchers come back at once. */
    storms: z.array(z.object({ at: z.number(), count: z.int() })),
  }),
  z.object({ kind: z.literal('end') }),
]);
export type DayJob = z.infer<typeof dayJob>;

export const sample = z.object({
  kind: z.enum(['call', 'delivery']),
  /** When it was sent, in seconds from the beginning. */
  at: z.number(),
  /** Until it was answered, or had arrived. */
  ms: z.number(),
});
export type Sample = z.infer<typeof sample>;

export const played = z.object({
  samples: z.array(sample),
  /** From the beginning of each storm until the last launcher was live again. */
  stormMs: z.array(z.number()),
  /** Messages times their channel's members, and how many of them were heard, each once. */
  expected: z.int(),
  arrived: z.int(),
  /** Calls that failed, by what was said. */
  failures: z.record(z.string(), z.int()),
});
export type Played = z.infer<typeof played>;
