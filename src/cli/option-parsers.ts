import { InvalidArgumentError } from 'commander';
import { z } from 'zod';

/** Ten years. */
const maximumMinutes = 10 * 365 * 24 * 60;

/** A whole number, such as a score or a count. */
export const wholeNumber = z
  .string()
  .regex(/^-?\d{1,16}$/, 'must be a whole number')
  .transform(Number);

/** A duration as options take it; fractions count. */
export const minutes = z
  .string()
  .regex(/^\d+(\.\d+)?$/, 'must be a number of minutes')
  .transform(Number)
  .refine((value) => value <= maximumMinutes, `must be a number of minutes, at most ${maximumMinutes}`);

/** An option parser that reads the option with a schema; what is wrong is said beside the option's name. */
export function parsed<Schema extends z.ZodType>(schema: Schema): (value: unknown) => z.output<Schema> {
  return (value) => {
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    throw new InvalidArgumentError(
      result.error.issues.map(({ path, message }) => [...path, message].join(': ')).join('; '),
    );
  };
}

/** As `parsed`, for an option that may be given several times. */
export function collected<Schema extends z.ZodType>(
  schema: Schema,
): (value: string, before?: z.output<Schema>[]) => z.output<Schema>[] {
  const parse = parsed(schema);
  return (value, before = []) => [...before, parse(value)];
}
