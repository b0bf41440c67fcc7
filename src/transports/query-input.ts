import { z } from 'zod';
import { innerSchema } from '../core/schemas/inner-schema.ts';

/**
 * A query's texts as an operation's input: empty values count as absent, and what the schema wants as a
 * number is read as one. What cannot be read stays as it is, for the schema to refuse.
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
      return [name, field && wantsNumber(field) && typeof value === 'string' ? toNumber(value) : value];
    }),
  );
}

function toNumber(text: string): unknown {
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

function wantsNumber(schema: z.core.$ZodType): boolean {
  const inner = innerSchema(schema);
  return inner ? wantsNumber(inner) : schema instanceof z.ZodNumber;
}
