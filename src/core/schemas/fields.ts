import { createHash, randomBytes } from 'node:crypto';
import * as Address from 'ox/Address';
import { z } from 'zod';
import type { Reason } from '../errors.ts';
import { guestPrefix } from './default-name.ts';
import { withReason } from './field-reason.ts';
import { grouped } from './grouped.ts';
import { notSeen } from './seen-text.ts';

/** An id in a response. */
export const id = z.string().meta({ description: 'Id (UUIDv7)' });

/** An id in a request. Only its length is checked, so that unknown and malformed ids get the same error. */
export const idInput = notSeen(z.string().min(1).max(200), 'id');

/** An id in a file exported by another server, which is untrusted input. */
export const importedId = z.uuidv7('must be a UUIDv7');

/** A point in time, in milliseconds since the Unix epoch. */
export const timestamp = z.int().meta({ description: 'Unix time in milliseconds', format: 'int64' });

/** `success` of a response; always true, because failures are returned as an error body. */
export const success = z.boolean();

/**
 * A string of `min` to `max` characters, counted as Unicode code points, as JSON Schema's `minLength` and
 * `maxLength` count them (zod's own count UTF-16 units, which makes an emoji two). `change`: applied before.
 */
export function text(min: number, max: number, change?: (value: string) => string): z.ZodString {
  const counts = min === 0 ? `at most ${max}` : `${min} to ${grouped(max)}`;
  return (change ? z.string().overwrite(change) : z.string())
    .refine((value) => value.length >= min && hasAtMost(value, max), {
      error: `must be ${counts} characters long`,
      abort: true, // whatever is checked next may take long
    })
    .refine((value) => value.isWellFormed(), 'must be well-formed Unicode: it has half of a surrogate pair')
    .meta({ minLength: min, maxLength: max });
}

function hasAtMost(value: string, max: number): boolean {
  return value.length <= max || (value.length <= max * 2 && [...value].length <= max);
}

/** The text, truncated to `max` characters when it is longer, with an ellipsis as the last one. */
export function shortened(value: string, max: number): string {
  if (value.length <= max) return value;
  const characters = [...value];
  return characters.length <= max ? value : `${characters.slice(0, max - 1).join('')}…`;
}

/** A wallet address as Gantry stores and returns it: `0x` and 40 lowercase hex digits. */
export const normalizedAddress = z
  .string()
  .meta({ description: 'Wallet address, lowercase', examples: [`0x${'ab'.repeat(20)}`] });

/**
 * A wallet address in a request, in any letter case, normalized to lowercase. Mixed case carries a checksum
 * (EIP-55); a wrong checksum indicates a typing error, so the address is rejected.
 */
export const addressInput = withReason(
  notSeen(
    z
      .string()
      .regex(/^0[xX][0-9a-fA-F]{40}$/, 'must be 0x followed by 40 hex digits')
      .refine(hasNoWrongChecksum, 'has a wrong checksum (EIP-55): check the address, or send it in lowercase')
      .transform((address) => address.toLowerCase()),
    'id',
  ),
  'address_invalid',
);

function hasNoWrongChecksum(address: string): boolean {
  const digits = address.slice(2);
  if (!/^[0-9a-f]{40}$/i.test(digits)) return true; // already rejected by the regex
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return true;
  return Address.checksum(`0x${digits}`).slice(2) === digits;
}

/**
 * A placeholder address for a player without a wallet: `0x6775657374` and the first 120 bits of a domain-separated
 * SHA-256 of random bytes that are then discarded. It cannot be chosen, and finding a key for it takes 2^120 attempts.
 */
export function newGuestAddress(): string {
  const digest = createHash('sha256').update('gantry guest address\n').update(randomBytes(32)).digest('hex');
  return guestPrefix + digest.slice(0, 42 - guestPrefix.length);
}

/** Whether a lowercase address is a guest's; determined by its prefix, without a lookup. */
export function isGuestAddress(address: string): boolean {
  return address.startsWith(guestPrefix);
}

/** An address that has to sign something, which a guest's address cannot. */
export const walletInput = withReason(
  addressInput.refine((address) => !isGuestAddress(address), {
    message: 'is the address of a guest, which cannot sign: call signInGuest with the deviceSecret',
    params: { reason: 'guest_address' satisfies Reason },
  }),
  'address_invalid',
);
