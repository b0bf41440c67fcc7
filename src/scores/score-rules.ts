import type { Owner } from '../core/schemas/owner.ts';
import { GantryError } from '../errors.ts';

/** @throws GantryError `score_not_integer` */
export function wholeScore(score: number, fractions: 'refuse' | 'round'): number {
  if (Number.isSafeInteger(score)) return score;
  if (fractions === 'round') return Math.round(score);
  const field = { path: 'score', message: 'must be a whole number: this game has no fractions' };
  throw new GantryError('score_not_integer', `${field.path}: ${field.message}`, { fields: [field] });
}

/** A score is told to its player. */
export function audienceOf({ gameId, wallet }: Owner) {
  return { kind: 'players' as const, gameId, wallets: [wallet] };
}

/** Whose stream that is. */
export function ownerIn(stream: string): Owner | null {
  const [kind, gameId = '', wallet = ''] = stream.split(':');
  return kind === 'player' ? { gameId, wallet } : null;
}
