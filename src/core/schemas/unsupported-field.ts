import { z } from 'zod';

/** An unsupported field that basement.fun's clients may send: zero, null and an empty string count as omitted. */
export function unsupportedField(why: string) {
  return z.unknown().refine(isEmpty, why).optional();
}

/** Whether a client has omitted a field or sent its language's zero value, which is a string in a query. */
export function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === 0 || value === '0' || value === '';
}
