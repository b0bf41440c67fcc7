import { z } from 'zod';
import { grouped } from './grouped.ts';

/**
 * A string of `min` to `max` characters, counted as Unicode code points, as JSON Schema's `minLength` and
 * `maxLength` count them (zod's own count UTF-16 units, which makes an emoji two).
 */
export function text(min: number, max: number): z.ZodString {
  const counts = min === 0 ? `at most ${max}` : `${min} to ${grouped(max)}`;
  return z
    .string()
    .refine((value) => value.length >= min && (value.length <= max || [...value].length <= max), {
      error: `must be ${counts} characters long`,
    })
    .refine((value) => value.isWellFormed(), 'must be well-formed Unicode: it has half of a surrogate pair')
    .meta({ minLength: min, maxLength: max });
}

/** The text, truncated to `max` characters when it is longer, with an ellipsis as the last one. */
export function shortened(value: string, max: number): string {
  if (value.length <= max) return value;
  const characters = [...value];
  return characters.length <= max ? value : `${characters.slice(0, max - 1).join('')}…`;
}
