import { createHash, randomBytes } from 'node:crypto';
import type { Reason } from '../../errors.ts';
import { addressInput } from './address.ts';
import { withReason } from './field-reason.ts';

/** `guest` in ASCII. Another address begins so by chance once in 2^40. */
const prefix = '0x6775657374';

/**
 * What stands for a wallet while a player has none: `0x6775657374` and the first 120 bits of the SHA-256 of random bytes that
 * are kept nowhere, under a prefix of their own. Whoever makes one cannot choose it, and to have its key takes 2^120 tries.
 */
export function newGuestAddress(): string {
  const digest = createHash('sha256').update('gantry guest address\n').update(randomBytes(32)).digest('hex');
  return prefix + digest.slice(0, 42 - prefix.length);
}

/** Whether an address, in lowercase, is a guest's: seen by its form, so that no wallet costs a look-up. */
export function isGuestAddress(address: string): boolean {
  return address.startsWith(prefix);
}

/** An address that is to sign something. A guest's never does. */
export const walletInput = withReason(
  addressInput.refine((address) => !isGuestAddress(address), {
    message: 'is the address of a guest, for which nobody can sign: call signInGuest with the deviceSecret',
    params: { reason: 'guest_address' satisfies Reason },
  }),
  'address_invalid',
);
