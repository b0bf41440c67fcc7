import { z } from 'zod';

/** The commands of the process that holds a day's launchers, and its responses. */
export const dayJob = z.discriminatedUnion('kind', [
  /** Connects a launcher for each token; the given number of them follow the game's leaderboard. */
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
    /** The first launchers, up to this number, play. */
    players: z.int(),
    /** Members are indexes into the list of tokens. */
    channels: z.array(z.object({ id: z.string(), members: z.array(z.int()) })),
    /** When, in seconds, and how many launchers reconnect at once. */
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
  /** Messages times their channel's members, and how many of them were received, each once. */
  expected: z.int(),
  arrived: z.int(),
  /** Failed calls, by error message. */
  failures: z.record(z.string(), z.int()),
});
export type Played = z.infer<typeof played>;
