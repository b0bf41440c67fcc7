import { type RowOf, table } from '../core/storage/table.ts';

const columns = {
  gameId: 'uuid',
  /** See `keyHashOf`. */
  keyHash: 'text',
  /** The player the write was about; '' where it was about several. */
  wallet: 'text',
  /** See `fingerprintOf`. */
  fingerprint: 'text',
  /** What the command has answered, as `encodeResult` leaves it; empty: it has not been carried out. */
  result: 'text',
  at: 'ms',
} as const;

/** Writes that came with an idempotency key, so that none is carried out twice. */
export const idempotencyKeys = table('idempotency_keys', columns, {
  key: ['gameId', 'keyHash'],
  of: { player: 'wallet', game: 'gameId', stays: 'kept for a day', texts: ['result'] },
});
export type IdempotencyKeyRow = RowOf<typeof columns>;
