import type { RateLimit } from '../../core/rate-limit.ts';

/** Friend requests of a player: more are hardly people one knows. */
export const friendRequestLimit: RateLimit = { points: 30, seconds: 3600 };
/** What a search costs, in the simplest reads. */
export const searchCost = 5;
/** 30 searches of a player, as fast as one types names; lists of all players take days. Points count costs, not calls. */
export const playerSearchLimit: RateLimit = { points: 30 * searchCost, seconds: 60 };
