import { createHash, randomBytes } from 'node:crypto';
import type { Reason } from '../errors.ts';
import { withReason } from './field-reason.ts';
import { addressInput } from './fields.ts';

/** `guest` in ASCII. A wallet address begins with it by chance once in 2^40. */
const prefix = '0x6775657374';

/**
 * A placeholder address for a player without a wallet: `0x6775657374` and the first 120 bits of a domain-separated
 * SHA-256 of random bytes that are then discarded. It cannot be chosen, and finding a key for it takes 2^120 attempts.
 */
export function newGuestAddress(): string {
  const digest = createHash('sha256').update('gantry guest address\n').update(randomBytes(32)).digest('hex');
  return prefix + digest.slice(0, 42 - prefix.length);
}

/** Whether a lowercase address is a guest's; determined by its prefix, without a lookup. */
export function isGuestAddress(address: string): boolean {
  return address.startsWith(prefix);
}

/** An address that has to sign something, which a guest's address cannot. */
export const walletInput = withReason(
  addressInput.refine((address) => !isGuestAddress(address), {
    message: 'is the address of a guest, which cannot sign: call signInGuest with the deviceSecret',
    params: { reason: 'guest_address' satisfies Reason },
  }),
  'address_invalid',
);
