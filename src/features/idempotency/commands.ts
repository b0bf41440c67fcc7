import { GantryError } from '../../core/errors.ts';
import { type Command, command, exclusiveCommand, type Steps } from '../../core/storage/command.ts';
import { type FindCommand, runNested } from '../../core/storage/nested-command.ts';
import { statement } from '../../core/storage/query.ts';
import type { Claim } from './claim.ts';
import { decodeResult, encodeResult } from './result-text.ts';
import { idempotencyKeys } from './tables.ts';

/** Runs a command by name, unless one with this claim has already run: then returns that one's stored result. */
export type RunOnce = Command<[claim: Claim, commandName: string, args: readonly unknown[]], unknown>;

/**
 * The result is stored in the command's own transaction, which holds the key's lock: a concurrent duplicate, on any
 * node, waits and gets the same result. A rejected command leaves no key. `find` looks up a command by name.
 */
export function runOnceOf(find: FindCommand): RunOnce {
  return command(
    'runOnce',
    function* (tx, claim: Claim, commandName: string, args: readonly unknown[]): Steps<unknown> {
      const { texts, ...key } = claim;
      const row = yield* tx.lock(
        idempotencyKeys,
        [key.gameId, key.keyHash],
        // Some engines keep this row when the command is rejected: `at` 0 makes it due for removal at once, and the empty
        // result leaves the key usable until then.
        { ...key, result: '', at: 0 },
      );
      if (row.result !== '') {
        if (row.fingerprint !== key.fingerprint) {
          throw new GantryError(
            'idempotency_key_reused',
            'This idempotency key was used before for another operation or input; generate a new one for every write',
          );
        }
        return decodeResult(row.result, texts);
      }
      const result = yield* runNested(find, tx, commandName, args);
      tx.put(idempotencyKeys, { ...key, result: encodeResult(result, texts), at: tx.now });
      return result;
    },
  );
}

const deletedPerCall = 500;

/** Deletes a bounded batch of keys older than `maxAgeMs`; true when there may be more. */
export const trimIdempotencyKeys = exclusiveCommand(
  'trimIdempotencyKeys',
  function* (tx, maxAgeMs: number): Steps<boolean> {
    const deleted = yield* tx.run(deleteOld, { before: tx.now - maxAgeMs, limit: deletedPerCall });
    return deleted === deletedPerCall;
  },
);

const deleteOld = statement<{ before: number; limit: number }>(
  `DELETE FROM idempotency_keys WHERE (game_id, key_hash) IN (SELECT game_id, key_hash FROM idempotency_keys
    WHERE at < @before ORDER BY at LIMIT @limit)`,
  { changes: [idempotencyKeys] },
);
