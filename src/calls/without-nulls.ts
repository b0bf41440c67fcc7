import type { z } from 'zod';

const known = new WeakMap<z.ZodObject, ReadonlySet<string>>();

/**
 * Removes nulls from optional fields that do not accept null, since clients in typed languages send null for omitted
 * fields. Nulls in other fields are kept.
 */
export function withoutNulls(
  schema: z.ZodObject,
  input: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (!hasNull(input)) return input;
  const optional = optionalFields(schema);
  return Object.fromEntries(
    Object.entries(input).filter(([name, value]) => value !== null || !optional.has(name)),
  );
}

function hasNull(input: Readonly<Record<string, unknown>>): boolean {
  for (const name in input) if (input[name] === null) return true;
  return false;
}

/** The fields that are optional and do not accept null. */
function optionalFields(schema: z.ZodObject): ReadonlySet<string> {
  const found = known.get(schema);
  if (found) return found;
  const fields = Object.entries(schema.shape as Record<string, z.ZodType>);
  const optional = new Set(
    fields
      .filter(([, field]) => field.safeParse(undefined).success && !field.safeParse(null).success)
      .map(([name]) => name),
  );
  known.set(schema, optional);
  return optional;
}
