import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { GantryError } from '../core/errors.ts';
import { nearestName } from '../core/nearest-name.ts';
import { describeIssue } from '../core/schemas/describe-issue.ts';
import { refuseRoundedInput } from '../core/schemas/rounded-number.ts';
import { isWebUrl } from '../core/schemas/web-url.ts';

/** Ten years. */
const maxMinutes = 10 * 365 * 24 * 60;

/** An integer, such as a score or a count. */
export const integer = z
  .string()
  .regex(/^-?\d{1,16}$/, 'must be an integer')
  .transform(Number);

/** How many there are of something. */
export const count = z
  .string()
  .regex(/^\d{1,9}$/, 'must be a whole number, 0 or more')
  .transform(Number);

/** The URL of a server, such as `https://play.example`. */
export const httpUrl = z
  .string()
  .refine(isWebUrl, 'must be a URL that begins with http:// or https://, without user name or password')
  .transform((text) => new URL(text));

/** A duration option in minutes, at most ten years unless given; fractions are allowed. */
export function minutes(max = maxMinutes) {
  return z
    .string()
    .regex(/^\d+(\.\d+)?$/, 'must be a number of minutes')
    .transform(Number)
    .refine((value) => value <= max, `must be a number of minutes, at most ${max}`);
}

/** An option parser that validates with a schema; commander reports the issues with the option's name. */
export function parsed<Schema extends z.ZodType>(schema: Schema): (value: unknown) => z.output<Schema> {
  return (value) => {
    const result = schema.safeParse(value, { error: describeIssue });
    if (result.success) return result.data;
    throw new InvalidArgumentError(
      result.error.issues.map(({ path, message }) => [...path, message].join(': ')).join('; '),
    );
  };
}

/** Like `parsed`, for a repeatable option. */
export function collected<Schema extends z.ZodType>(
  schema: Schema,
): (value: string, before?: z.output<Schema>[]) => z.output<Schema>[] {
  const parse = parsed(schema);
  return (value, before = []) => [...before, parse(value)];
}

/** Refuses a name that is none of the known ones, which the command's help lists. */
export function unknownName(what: string, given: string, known: readonly string[]): InvalidArgumentError {
  const nearest = nearestName(given, known);
  return new InvalidArgumentError(
    `There is no such ${what}.${nearest === undefined ? '' : ` Did you mean '${nearest}'?`}`,
  );
}

/** A JSON argument or option, an object. */
export function parsedJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    refuseRoundedInput(text);
    return value;
  } catch (error) {
    throw new InvalidArgumentError(error instanceof GantryError ? error.message : 'must be JSON');
  }
}

/** Like `decimal`, with a sign. */
export const signedDecimal = z
  .string()
  .regex(/^-?\d{1,16}(\.\d{1,9})?$/, 'must be a number')
  .transform(Number);

/** A number, such as a count of days; fractions are allowed. */
export const decimal = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,9})?$/, 'must be a number')
  .transform(Number);

/** How many results are wanted of a list. */
const limit = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'must be a whole number, 1 or more')
  .transform(Number);

/** The page of a list. */
export interface PageOptions {
  limit: number;
  skip: number;
}

/** Adds the options for the page of a list. */
export function withPageOptions(command: Command): Command {
  return command
    .option('--limit <count>', 'maximum number of results', parsed(limit), 50)
    .option('--skip <count>', 'number of results to skip', parsed(integer), 0);
}

/** How many finished seasons to keep, or `all` (commander does not accept null as a value). */
export const seasonsKept = z
  .string()
  .regex(/^(\d{1,5}|all)$/, 'must be a number or all')
  .transform((text) => (text === 'all' ? text : Number(text)));
