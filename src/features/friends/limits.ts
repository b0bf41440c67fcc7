import type { RateLimit } from '../../core/rate-limit.ts';

/** Friend requests of a player: more are hardly people one knows. */
export const friendRequestLimit: RateLimit = { points: 30, seconds: 3600 };
/** Searches of a player, as fast as one types names; lists of all players take days. */
export const playerSearchLimit: RateLimit = { points: 30, seconds: 60 };
