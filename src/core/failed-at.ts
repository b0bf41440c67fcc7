import { GantryError } from './errors.ts';

/** The same error, its message and field paths prefixed with the index (from 0) of the failed operation in a batch. */
export function failedAt(
  at: number,
  { reason, message, fields, present, retryAfterSeconds, endReason, missing }: GantryError,
): GantryError {
  const path = `operations.${at}`;
  const inData = fields?.map((field) => ({ ...field, path: `${path}.data.${field.path}` }));
  return new GantryError(reason, `${path}: ${message}`, {
    fields: inData ?? [{ path, message }],
    ...(present && { present }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(endReason !== undefined && { endReason }),
    ...(missing && { missing }),
  });
}
