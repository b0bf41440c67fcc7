import { z } from 'zod';

/** At most `points` calls per `seconds`. */
export const rateLimit = z.object({
  points: z.int().min(1).max(1_000_000),
  seconds: z.int().min(1).max(3600),
});
export type RateLimit = z.infer<typeof rateLimit>;
