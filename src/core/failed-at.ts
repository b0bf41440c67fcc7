import { GantryError } from '../errors.ts';

/** The same error, which says which operation of a batch it is about, counted from 0. */
export function failedAt(
  at: number,
  { reason, message, fields, present, retryAfterSeconds }: GantryError,
): GantryError {
  const path = `operations.${at}`;
  const inData = fields?.map((field) => ({ ...field, path: `${path}.data.${field.path}` }));
  return new GantryError(reason, `${path}: ${message}`, {
    fields: inData ?? [{ path, message }],
    ...(present && { present }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}
