import { z } from 'zod';

/** A field that basement.fun's clients may send and that is not served: zero, null and an empty text count as left out. */
export function notServed(why: string) {
  return z.unknown().refine(isEmpty, why).optional();
}

/** Whether a client has left a field out, or sent its language's zero in its place; in a query, that is a text. */
export function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === 0 || value === '0' || value === '';
}
