import { v7 } from 'uuid';
import { z } from 'zod';

/** A new record id: a UUIDv7 (RFC 9562), so that ids made by one process sort by the time they were made. */
export function newId(): string {
  return v7();
}

/** An id in an answer. */
export const id = z.string().meta({ description: 'Id (UUIDv7)' });

/** An id in a request. Bounded only, so that an unknown id and a malformed one get the same answer. */
export const idInput = z.string().min(1).max(200);

/** A moment, in milliseconds since the Unix epoch. */
export const timestamp = z.int().meta({ description: 'Unix time in milliseconds', format: 'int64' });
