import * as Address from 'ox/Address';
import { z } from 'zod';
import { withReason } from './field-reason.ts';
import { notSeen } from './seen-text.ts';

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

/** `0x1234…abcd`, the form shown where a player has no username. */
export function shortAddress(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`;
}
