import { z } from 'zod';
import { type Reason, reasons } from '../../errors.ts';
import { innerSchema } from './inner-schema.ts';

const registry = z.registry<{ reason: Reason }>();

/** Names the `data.reason` a caller gets when this field is the first one wrong. */
export function withReason<S extends z.ZodType>(schema: S, reason: Reason): S {
  registry.add(schema, { reason });
  return schema;
}

/**
 * The reason of what is wrong with an input: the one that the check itself names in `params.reason`, or else that of the
 * field.
 */
export function reasonOf(schema: z.core.$ZodType, issue: z.core.$ZodIssue): Reason | undefined {
  const named: unknown = issue.code === 'custom' ? issue.params?.reason : undefined;
  return isReason(named) ? named : reasonAt(schema, issue.path);
}

function isReason(value: unknown): value is Reason {
  return typeof value === 'string' && Object.hasOwn(reasons, value);
}

/** The reason given by `withReason` to what lies at a path of an input; the nearest one on the way counts. */
function reasonAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): Reason | undefined {
  const [key, ...rest] = path;
  const { own, inner } = unwrapped(schema);
  const below = key === undefined ? undefined : childOf(inner, key);
  return (below && reasonAt(below, rest)) ?? own;
}

/** Looks through `.optional()`, `.default()` and pipes. */
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
