import { z } from 'zod';
import { innerSchema } from '../core/schemas/inner-schema.ts';
import { refuseRoundedText } from '../core/schemas/rounded-number.ts';

/**
 * Converts the parameters of a query or the fields of a form to an operation's input: empty values count as absent, and
 * those that the schema declares as a number, a boolean or an array are converted. Values that cannot be converted are
 * left for the schema to reject.
 * @throws GantryError `number_not_exact`
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
      if (expects(field, z.ZodNumber)) return [name, toNumber(name, value)];
      if (expects(field, z.ZodBoolean)) return [name, toBoolean(value)];
      return [name, expects(field, z.ZodArray) ? [value] : value];
    }),
  );
}

function toNumber(name: string, text: string): unknown {
  if (!/^-?\d+(\.\d+)?$/.test(text)) return text;
  refuseRoundedText(text, name);
  return Number(text);
}

function toBoolean(text: string): unknown {
  return text === 'true' || (text === 'false' ? false : text);
}

type Converted = typeof z.ZodNumber | typeof z.ZodBoolean | typeof z.ZodArray;

function expects(schema: z.core.$ZodType, kind: Converted): boolean {
  const inner = innerSchema(schema);
  return inner ? expects(inner, kind) : schema instanceof kind;
}
