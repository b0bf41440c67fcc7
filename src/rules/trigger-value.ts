import { z } from 'zod';
import { grouped } from '../core/schemas/grouped.ts';
import { text } from '../core/schemas/text.ts';

export type TriggerValue = number | string;

/** Keeps value × ratio, and sums of it, finite. */
const largest = Number.MAX_SAFE_INTEGER;
const withinBounds = `must be a number within ±${largest}`;
/** In characters (code points). */
export const maxTextLength = 1_000;

/** A trigger's value where INTERFACE.md asks for a whole number: on the dedicated path. */
export const integerValue = z
  .int('must be a whole number')
  .optional()
  .transform((value): TriggerValue | undefined => value);

/** By method dispatch and on the socket, as basement.fun takes it; an empty text counts as left out. */
export const anyValue = z
  .union([z.number().min(-largest, withinBounds).max(largest, withinBounds), text(0, maxTextLength)], {
    error: `must be a number, or a text of at most ${grouped(maxTextLength)} characters`,
  })
  .optional()
  .transform((value) => (value === '' ? undefined : value));

/** The value as a number; undefined when there is none, or it is a text that is no number of that size. */
export function numberOf(value: TriggerValue | undefined): number | undefined {
  if (typeof value !== 'string') return value;
  if (!/^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value)) return undefined;
  const number = Number(value);
  return Math.abs(number) <= largest ? number : undefined;
}
