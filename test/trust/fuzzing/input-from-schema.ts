import { z } from 'zod';
import type { World } from './world.ts';

/** The part of JSON Schema that inputs use. */
interface Shape {
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Shape[];
  pattern?: string;
  minLength?: number;
  minimum?: number;
  minItems?: number;
  properties?: Record<string, Shape>;
  required?: string[];
  items?: Shape;
}

/**
 * A valid input by its schema, with every field: ids and wallets are the world's where it has some of that name, pages
 * are short, and texts as short as allowed.
 */
export function inputFromSchema(input: z.ZodObject, world: World): Record<string, unknown> {
  const schema: Shape = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as Shape;
  const known: Readonly<Record<string, unknown>> = {
    ...world,
    wallet: world.otherWallet,
    limit: 10,
    skip: 0,
  };
  return Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, shape]) => [name, known[name] ?? valueIn(shape)]),
  );
}

function valueIn(shape: Shape): unknown {
  const { anyOf, type, properties, items, minItems = 0, required = [] } = shape;
  if (shape.const !== undefined) return shape.const;
  if (shape.enum) return shape.enum[0];
  if (anyOf) return anyOf[0] && valueIn(anyOf[0]);
  if (type === 'boolean') return true;
  if (type === 'number' || type === 'integer') return Math.max(1, shape.minimum ?? 1);
  if (type === 'array') return Array.from({ length: minItems }, () => valueIn(items ?? {}));
  if (type === 'object') {
    return Object.fromEntries(required.map((name) => [name, valueIn(properties?.[name] ?? {})]));
  }
  return 'a'.repeat(Math.max(1, shape.minLength ?? 1));
}
