import { z } from 'zod';
import { innerSchema } from '../core/schemas/inner-schema.ts';

/**
 * Converts query parameters to an operation's input: empty values count as absent, and parameters that the schema
 * declares as a number or an array are converted. Values that cannot be converted are left for the schema to reject.
 */
export function inputFromQuery(
  schema: z.ZodObject,
  query: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const entries = Object.entries(query).filter(([, value]) => value !== '');
  return Object.fromEntries(
    entries.map(([name, value]) => {
      // A query may name anything, such as `constructor`.
      const field = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
      if (!field || typeof value !== 'string') return [name, value];
      if (expects(field, z.ZodNumber)) return [name, toNumber(value)];
      return [name, expects(field, z.ZodArray) ? [value] : value];
    }),
  );
}

function toNumber(text: string): unknown {
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

function expects(schema: z.core.$ZodType, kind: typeof z.ZodNumber | typeof z.ZodArray): boolean {
  const inner = innerSchema(schema);
  return inner ? expects(inner, kind) : schema instanceof kind;
}
