import { createHash, createHmac } from 'node:crypto';
import { z } from 'zod';
import { withReason } from '../core/schemas/field-reason.ts';
import { LargeValue } from '../states/large-input.ts';
import { type InputTexts, textsOf } from './result-text.ts';

/** An idempotency key as callers send it: of visible ASCII characters, so that a header carries it. */
export const idempotencyKey = withReason(
  z
    .string('must be a string')
    .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 visible ASCII characters, such as a UUID'),
  'input_invalid',
);

/** A write that is to be carried out once, however often it is sent. */
export interface Claim {
  gameId: string;
  /** Names caller and key. */
  keyHash: string;
  /** The player it is about; '' where it is about several. */
  wallet: string;
  /** Of the operation and its input: the same key is not for another one. */
  fingerprint: string;
  texts: InputTexts;
}

export function claimOf(
  key: string,
  {
    gameId,
    caller,
    wallet,
    operation,
    input,
  }: {
    gameId: string;
    /** Whose key it is: a wallet, or the game's server. */
    caller: string;
    wallet: string;
    operation: string;
    /** As parsed. */
    input: object;
  },
): Claim {
  return {
    gameId,
    keyHash: createHash('sha256')
      .update(JSON.stringify([caller, key]))
      .digest('hex'),
    wallet,
    fingerprint: fingerprintOf(key, [operation, wallet, input]),
    texts: textsOf(input),
  };
}

/**
 * Under the key, which is not kept: so that a short text that was sent, and taken back, cannot be found by trying.
 */
function fingerprintOf(key: string, asked: unknown): string {
  const text = JSON.stringify(asked, (_, value: unknown) =>
    value instanceof LargeValue ? value.state().ipfsHash : value,
  );
  return createHmac('sha256', key).update(text).digest('hex');
}
