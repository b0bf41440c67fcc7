import { z } from 'zod';
import { type Reason, reasons } from '../errors.ts';
import { innerSchema } from './inner-schema.ts';

const registry = z.registry<{ reason: Reason }>();

/** Sets the `data.reason` returned to the caller when this is the first invalid field. */
export function withReason<S extends z.ZodType>(schema: S, reason: Reason): S {
  registry.add(schema, { reason });
  return schema;
}

/** The reason for an issue with an input: `params.reason` of a custom check, otherwise the reason of the field. */
export function reasonOf(schema: z.core.$ZodType, issue: z.core.$ZodIssue): Reason | undefined {
  const named: unknown = issue.code === 'custom' ? issue.params?.reason : undefined;
  return isReason(named) ? named : reasonAt(schema, issue.path);
}

function isReason(value: unknown): value is Reason {
  return typeof value === 'string' && Object.hasOwn(reasons, value);
}

/** The reason set by `withReason` for a path of an input; the one deepest along the path takes precedence. */
function reasonAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): Reason | undefined {
  const [key, ...rest] = path;
  const { own, inner } = unwrapped(schema);
  const below = key === undefined ? undefined : childOf(inner, key);
  return (below && reasonAt(below, rest)) ?? own;
}

/** Unwraps `.optional()`, `.default()` and pipes. */
function unwrapped(schema: z.core.$ZodType): { own: Reason | undefined; inner: z.core.$ZodType } {
  let own: Reason | undefined;
  for (let at = schema; ; ) {
    own ??= registry.get(at)?.reason;
    const next = innerSchema(at);
    if (!next) return { own, inner: at };
    at = next;
  }
}

function childOf(schema: z.core.$ZodType, key: PropertyKey): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodObject) return schema.shape[String(key)];
  return schema instanceof z.ZodArray ? (schema.element as z.core.$ZodType) : undefined;
}
