import { table } from '../../core/storage/table.ts';

const columns = {
  gameId: 'uuid',
  /** See `Claim.keyHash`. */
  keyHash: 'text',
  /** The player the write concerned; '' for several. */
  wallet: 'text',
  /** See `fingerprintOf`. */
  fingerprint: 'text',
  /** The command's result, encoded by `encodeResult`; empty while it has not run. */
  result: 'text',
  at: 'ms',
} as const;

/** Writes that came with an idempotency key, so that none runs twice. */
export const idempotencyKeys = table('idempotency_keys', columns, {
  key: ['gameId', 'keyHash'],
  of: { player: 'wallet', game: 'gameId', stays: 'kept for a day', texts: ['result'] },
});
