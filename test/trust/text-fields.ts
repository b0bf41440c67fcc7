import { z } from 'zod';
import type { AnyOperation } from '../../src/features/operation.ts';

/** A field of an operation's input that takes a free text, such as `states.0.label`. */
export interface TextField {
  path: readonly string[];
  /** Undefined for any JSON value, in which a text can be anywhere. */
  maxLength: number | undefined;
}

interface Schema {
  type?: string;
  enum?: unknown;
  const?: unknown;
  pattern?: string;
  format?: string;
  maxLength?: number;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  $ref?: string;
  $defs?: Record<string, Schema>;
}

/** Every field of an operation's input that takes a text, by its schema: no enum, address, uuid or other pattern. */
export function textFieldsOf({ input, dispatchInput }: AnyOperation): TextField[] {
  const fields = new Map<string, TextField>();
  for (const one of [input, dispatchInput]) {
    if (!one) continue;
    const root = z.toJSONSchema(one, { io: 'input', unrepresentable: 'any' }) as Schema;
    for (const field of fieldsIn(root, root, [])) {
      const key = field.path.join('.');
      if (!fields.has(key)) fields.set(key, field);
    }
  }
  return [...fields.values()];
}

function* fieldsIn(schema: Schema, root: Schema, path: readonly string[]): Generator<TextField> {
  const name = schema.$ref?.replace('#/$defs/', '');
  if (name !== undefined) schema = root.$defs?.[name] ?? {};
  if (path.length > 8) return; // a recursive schema
  const { type, anyOf, properties, items, additionalProperties } = schema;
  for (const one of anyOf ?? []) yield* fieldsIn(one, root, path);
  for (const [key, one] of Object.entries(properties ?? {})) yield* fieldsIn(one, root, [...path, key]);
  if (items) yield* fieldsIn(items, root, [...path, '0']);
  if (typeof additionalProperties === 'object') yield* fieldsIn(additionalProperties, root, [...path, 'any']);
  const isText = type === 'string' && !schema.pattern && (!schema.format || schema.format === 'uri');
  if (isText && !schema.enum && schema.const === undefined) yield { path, maxLength: schema.maxLength };
  const isAnything = !type && !anyOf && !schema.enum && schema.const === undefined;
  if (isAnything) yield { path, maxLength: undefined };
}
