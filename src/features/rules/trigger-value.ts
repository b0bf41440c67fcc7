import { z } from 'zod';
import { text } from '../../core/schemas/fields.ts';
import { grouped } from '../../core/schemas/grouped.ts';
import { notSeen } from '../../core/schemas/seen-text.ts';

export type TriggerValue = number | string;

/** Keeps value × ratio, and sums of it, finite. */
const maxMagnitude = Number.MAX_SAFE_INTEGER;
const withinBounds = `must be a number within ±${maxMagnitude}`;
/** Maximum length of a text, in code points. */
export const maxTextLength = 1_000;

/** A trigger's value on the dedicated path, where INTERFACE.md requires a whole number. */
export const integerValue = z
  .int('must be a whole number')
  .optional()
  .transform((value): TriggerValue | undefined => value);

/**
 * A trigger's value by method dispatch and on the socket, as basement.fun accepts it; an empty text counts as omitted.
 */
export const anyValue = notSeen(
  z
    .union(
      [z.number().min(-maxMagnitude, withinBounds).max(maxMagnitude, withinBounds), text(0, maxTextLength)],
      {
        error: `must be a number, or a text of at most ${grouped(maxTextLength)} characters`,
      },
    )
    .optional()
    .transform((value) => (value === '' ? undefined : value)),
  'elsewhere', // a rule may publish it, or the nonce: see `publishActivity`
);

/** The value as a number; undefined when there is none, or it is not a numeric text within ±`maxMagnitude`. */
export function numberOf(value: TriggerValue | undefined): number | undefined {
  if (typeof value !== 'string') return value;
  if (!/^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value)) return undefined;
  const number = Number(value);
  return Math.abs(number) <= maxMagnitude ? number : undefined;
}
