import { z } from 'zod';

/** `success` of an answer; always true, for a failure is answered with an error body. */
export const success = z.boolean();
