import { createHash, createHmac } from 'node:crypto';
import { z } from 'zod';
import { withReason } from '../../core/schemas/field-reason.ts';
import { LargeValue } from '../states/large-input.ts';
import { type InputTexts, textsOf } from './result-text.ts';

/** An idempotency key as callers send it: visible ASCII characters, so that it fits in a header. */
export const idempotencyKey = withReason(
  z
    .string('must be a string')
    .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 visible ASCII characters, such as a UUID'),
  'input_invalid',
);

/** Identifies a write that must be executed once, however often it is sent. */
export interface Claim {
  gameId: string;
  /** SHA-256 of caller and key. */
  keyHash: string;
  /** The player the write concerns; '' for several. */
  wallet: string;
  /** HMAC of operation and input: detects reuse of the key for another write. */
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
    /** The owner of the key: a wallet, or the game's server. */
    caller: string;
    wallet: string;
    operation: string;
    /** After parsing. */
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
 * Keyed with the idempotency key, which is not stored, so that a short text that was sent and later erased cannot be
 * recovered by brute force.
 */
function fingerprintOf(key: string, request: unknown): string {
  const text = JSON.stringify(request, (_, value: unknown) =>
    value instanceof LargeValue ? value.state().ipfsHash : value,
  );
  return createHmac('sha256', key).update(text).digest('hex');
}
