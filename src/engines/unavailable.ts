import { GantryError } from '../core/errors.ts';

/** The refusal while the database cannot `take writes` or `be reached`; callers may repeat the call. */
export function unavailable(what: 'take writes' | 'be reached', cause?: unknown): GantryError {
  return new GantryError('store_unavailable', `The database cannot ${what} right now; try again later`, {
    cause,
    retryAfterSeconds: 1,
  });
}
