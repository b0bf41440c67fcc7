import { z } from 'zod';

/** `success` of a response; always true, because failures are returned as an error body. */
export const success = z.boolean();
