import { GantryError } from '../../core/errors.ts';
import type { Owner } from '../../core/schemas/owner.ts';

/** @throws GantryError `score_not_integer` */
export function toIntegerScore(score: number, fractions: 'refuse' | 'round'): number {
  if (Number.isSafeInteger(score)) return score;
  if (fractions === 'round') return Math.round(score);
  const field = { path: 'score', message: 'must be a whole number: this game does not allow fractions' };
  throw new GantryError('score_not_integer', `${field.path}: ${field.message}`, { fields: [field] });
}

/** Score events go to the score's player. */
export function audienceOf({ gameId, wallet }: Owner) {
  return { kind: 'players' as const, gameId, wallets: [wallet] };
}

/** The player whose stream it is; null for other streams. */
export function ownerIn(stream: string): Owner | null {
  const [kind, gameId = '', wallet = ''] = stream.split(':');
  return kind === 'player' ? { gameId, wallet } : null;
}
