import { createHash } from 'node:crypto';
import { z } from 'zod';
import { notSeen } from '../../core/schemas/seen-text.ts';

/** Crockford's base 32: no letter looks like a digit, and none spells much. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const length = 8;

/** A friend code from a random id: 40 bits, so that guessing one of a million takes a million attempts. */
export function friendCodeOf(id: string): string {
  const digest = createHash('sha256').update(`gantry friend code\n${id}`).digest();
  return Array.from(digest.subarray(0, length), (byte) => alphabet[byte % alphabet.length]).join('');
}

/** A friend code as a person types it: in any case, with spaces and hyphens, and O, I and L for the digits they look like. */
export const friendCodeInput = notSeen(
  z
    .string()
    .max(20)
    .overwrite(normalized)
    .regex(new RegExp(`^[${alphabet}]{${length}}$`), `must be a friend code: ${length} letters and digits`),
  'id',
);

function normalized(code: string): string {
  return code.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1');
}
