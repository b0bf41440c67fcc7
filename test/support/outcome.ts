import { expect } from 'vitest';
import { z } from 'zod';
import type { Reason } from '../../src/core/errors.ts';
import type { Answer } from './http.ts';

/** Feathers' names for the statuses of refused calls (DESIGN.md "Errors"). */
const names = new Map([
  [400, { name: 'BadRequest', className: 'bad-request' }],
  [401, { name: 'NotAuthenticated', className: 'not-authenticated' }],
  [404, { name: 'NotFound', className: 'not-found' }],
  [405, { name: 'MethodNotAllowed', className: 'method-not-allowed' }],
  [409, { name: 'Conflict', className: 'conflict' }],
  [403, { name: 'Forbidden', className: 'forbidden' }],
  [413, { name: 'PayloadTooLarge', className: 'payload-too-large' }],
  [429, { name: 'TooManyRequests', className: 'too-many-requests' }],
]);

const data = { success: z.literal(false), error: z.string().min(1) };
const errorBody = z.strictObject({
  success: z.literal(false),
  error: z.string().min(1),
  name: z.string(),
  message: z.string(),
  code: z.int(),
  className: z.string(),
  data: z.union([
    z.strictObject({
      ...data,
      reason: z.string().refine((reason) => reason !== 'version_conflict'),
      retryAfterSeconds: z.int().min(0).optional(),
      endReason: z.string().optional(),
      update: z.strictObject({ version: z.string(), url: z.string(), message: z.string() }).optional(),
      version: z.int().min(0).optional(), // of `config_changed`
      missing: z
        .array(
          z.strictObject({
            standard: z.enum(['erc20', 'erc721', 'erc1155']),
            chainId: z.int(),
            contract: z.string(),
            tokenId: z.string().optional(),
            amount: z.string(),
            owned: z.string(),
          }),
        )
        .min(1)
        .optional(),
    }),
    z.strictObject({
      ...data,
      reason: z.literal('version_conflict'),
      label: z.string().min(1),
      version: z.int().min(0),
    }),
  ]),
  errors: z
    .array(z.strictObject({ path: z.string(), message: z.string().min(1) }))
    .min(1)
    .optional(),
});
export type RefusalBody = z.infer<typeof errorBody>;

/** The body of a 200, checked to have exactly the fields of `schema`. */
export function accepted<Schema extends z.ZodType>(answer: Answer, schema: Schema): z.output<Schema> {
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/);
  return exactly(schema, answer.body);
}

/**
 * Checks that a response is an error with this status and reason, and that its body is the one error body. `path` is
 * the field that must be among those named in `errors`.
 */
export function refused(answer: Answer, status: number, reason: Reason, path?: string): RefusalBody {
  expect(answer.status, JSON.stringify(answer.body)).toBe(status);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/);
  const body = exactly(errorBody, answer.body);
  expect(body).toMatchObject({
    code: status,
    data: { reason, error: body.error },
    message: body.error,
    ...names.get(status),
  });
  // Information that sockets have no header for is in the body as well.
  const retryAfter = 'retryAfterSeconds' in body.data ? body.data.retryAfterSeconds : undefined;
  expect(answer.headers.get('retry-after')).toBe(retryAfter === undefined ? null : String(retryAfter));
  if (path !== undefined) expect((body.errors ?? []).map((field) => field.path)).toContain(path);
  return body;
}

/** The value, checked against the schema; strict schemas allow no other field. */
export function exactly<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new Error(`${z.prettifyError(result.error)}\nin ${JSON.stringify(value)}`);
}
