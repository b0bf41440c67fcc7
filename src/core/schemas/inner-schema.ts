import { z } from 'zod';

/** The schema wrapped by `.optional()`, `.default()` and the like, or a pipe's input schema; null for any other. */
export function innerSchema(schema: z.core.$ZodType): z.core.$ZodType | null {
  if (schema instanceof z.ZodPipe) return schema.in;
  const isWrapper =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodCatch ||
    schema instanceof z.ZodReadonly ||
    schema instanceof z.ZodNonOptional;
  return isWrapper ? schema.unwrap() : null;
}
