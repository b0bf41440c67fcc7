import { z } from 'zod';
import { innerSchema } from '../core/schemas/inner-schema.ts';

/**
 * A query's texts as an operation's input: empty values count as absent, and what the schema wants as a
 * number or a list is read as one. What cannot be read stays as it is, for the schema to refuse.
 */
export function inputFromQuery(
  schema: z.ZodObject,
  query: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const entries = Object.entries(query).filter(([, value]) => value !== '');
  return Object.fromEntries(
    entries.map(([name, value]) => {
      // The query may name anything: `constructor` is no field.
      const field = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
      if (!field || typeof value !== 'string') return [name, value];
      if (wants(field, z.ZodNumber)) return [name, toNumber(value)];
      return [name, wants(field, z.ZodArray) ? [value] : value];
    }),
  );
}

function toNumber(text: string): unknown {
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

function wants(schema: z.core.$ZodType, kind: typeof z.ZodNumber | typeof z.ZodArray): boolean {
  const inner = innerSchema(schema);
  return inner ? wants(inner, kind) : schema instanceof kind;
}
