import { z } from 'zod';
import { notSeen } from './seen-text.ts';

/** An unsupported field that basement.fun's clients may send: zero, null and an empty string count as omitted. */
export function unsupportedField(why: string) {
  return notSeen(z.unknown().refine(isEmpty, why).optional(), 'choice');
}

/** Whether a client has omitted a field or sent its language's zero value, which is a string in a query. */
export function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === 0 || value === '0' || value === '';
}
