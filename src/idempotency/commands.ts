import {
  type AnyCommand,
  type Command,
  command,
  type ExclusiveTx,
  exclusiveCommand,
  type Steps,
  type Tx,
} from '../core/storage/command.ts';
import { statement } from '../core/storage/statement.ts';
import { GantryError } from '../errors.ts';
import type { Claim } from './claim.ts';
import { decodeResult, encodeResult } from './result-text.ts';
import { idempotencyKeys } from './tables.ts';

/** Carries out a command by its name, unless one with this claim has been carried out: then it answers what that did. */
export type RunOnce = Command<[claim: Claim, commandName: string, args: readonly unknown[]], unknown>;

/**
 * The result is written in the transaction of the command itself, whose key nobody else has meanwhile: whoever sends the
 * same at the same moment, to whichever node, waits, and is answered the same. A command that refuses leaves no key.
 * `find` finds the commands there are.
 */
export function runOnceOf(find: (name: string) => AnyCommand | undefined): RunOnce {
  return command(
    'runOnce',
    function* (tx: Tx, claim: Claim, commandName: string, args: readonly unknown[]): Steps<unknown> {
      const { texts, ...key } = claim;
      const row = yield* tx.lock(
        idempotencyKeys,
        [key.gameId, key.keyHash],
        // Kept as it is by an engine where the command is refused: swept at once, and anybody's again until then.
        { ...key, result: '', at: 0 },
      );
      if (row.result !== '') {
        if (row.fingerprint !== key.fingerprint) {
          throw new GantryError(
            'idempotency_key_reused',
            'This idempotency key was used before for another operation or input; make a new one for every write',
          );
        }
        return decodeResult(row.result, texts);
      }
      const run = find(commandName);
      if (!run || run.isExclusive) throw new Error(`${commandName} cannot be carried out within a command`);
      const result = yield* run(tx, ...(args as never));
      tx.put(idempotencyKeys, { ...key, result: encodeResult(result, texts), at: tx.now });
      return result;
    },
  );
}

const deletedPerCall = 500;

/** Forgets keys that are older than `maxAgeMs`, a limited number; true when there may be more. */
export const forgetIdempotencyKeys = exclusiveCommand(
  'forgetIdempotencyKeys',
  function* (tx: ExclusiveTx, maxAgeMs: number): Steps<boolean> {
    const deleted = yield* tx.run(deleteOld, { before: tx.now - maxAgeMs, limit: deletedPerCall });
    return deleted === deletedPerCall;
  },
);

const deleteOld = statement<{ before: number; limit: number }>(
  `DELETE FROM idempotency_keys WHERE (game_id, key_hash) IN (SELECT game_id, key_hash FROM idempotency_keys
    WHERE at < @before ORDER BY at LIMIT @limit)`,
  { changes: [idempotencyKeys] },
);
