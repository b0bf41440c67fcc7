import { InvalidArgumentError } from 'commander';
import type { z } from 'zod';

/** An option parser that reads the option with a schema; what is wrong is said beside the option's name. */
export function parsed<Schema extends z.ZodType>(schema: Schema): (text: string) => z.output<Schema> {
  return (text) => {
    const result = schema.safeParse(text);
    if (result.success) return result.data;
    throw new InvalidArgumentError(result.error.issues.map((issue) => issue.message).join('; '));
  };
}

/** As `parsed`, for an option that may be given several times. */
export function collected(schema: z.ZodType<string>): (text: string, before: string[]) => string[] {
  const parse = parsed(schema);
  return (text, before) => [...before, parse(text)];
}
