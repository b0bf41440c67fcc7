import { z } from 'zod';
import type { Reason } from '../errors.ts';

const registry = z.registry<{ reason: Reason }>();

/** Names the `data.reason` a caller gets when this field is the first one wrong. */
export function withReason<S extends z.ZodType>(schema: S, reason: Reason): S {
  registry.add(schema, { reason });
  return schema;
}

/** The reason given to a field by `withReason`, looked for through `.optional()`, `.default()` and pipes. */
export function reasonOf(schema: z.ZodType): Reason | undefined {
  for (let at: z.core.$ZodType | undefined = schema; at; at = innerOf(at)) {
    const found = registry.get(at);
    if (found) return found.reason;
  }
  return undefined;
}

function innerOf(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  const def = schema._zod.def as { innerType?: z.core.$ZodType; in?: z.core.$ZodType };
  return def.innerType ?? def.in;
}
