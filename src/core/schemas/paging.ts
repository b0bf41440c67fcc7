import { z } from 'zod';
import { withReason } from './field-reason.ts';

const defaultSize = 50;
const maxSize = 250;

const nonNegativeInt = z.int('must be a whole number, 0 or more').min(0, 'must be a whole number, 0 or more');

const size = nonNegativeInt
  .default(defaultSize)
  .transform((requested) => Math.min(requested, maxSize))
  .meta({
    description: `Rows wanted; default ${defaultSize}, more than ${maxSize} is capped to ${maxSize}`,
  });

/** Clients in typed languages send 0 for omitted fields. */
function sizeOrDefault(defaultRows: number) {
  return nonNegativeInt
    .default(defaultRows)
    .transform((requested) => Math.min(requested || defaultRows, maxSize))
    .meta({
      description: `Rows wanted; default ${defaultRows}, also for 0; larger values are capped to ${maxSize}`,
    });
}

const skip = nonNegativeInt.default(0).meta({ description: 'Rows to skip; default 0' });

/** The fields `limit` and `skip` of administrators' lists (DESIGN.md "Paging"). */
export const paging = { limit: withReason(size, 'paging_invalid'), skip: withReason(skip, 'paging_invalid') };

/**
 * The fields `limit` and `skip` of lists for games and launchers; `defaultRows` apply when `limit` is omitted or 0.
 * Lists documented by basement.fun use its default.
 */
export function pagingOf(defaultRows = defaultSize) {
  return {
    limit: withReason(sizeOrDefault(defaultRows), 'paging_invalid'),
    skip: withReason(skip, 'paging_invalid'),
  };
}

/** The fields `pageNumber` (from 1; 0 counts as omitted) and `pageSize` of `GET /activities`. */
export function pageNumberingOf(defaultRows: number) {
  return {
    pageNumber: withReason(
      nonNegativeInt
        .default(1)
        .transform((requested) => requested || 1)
        .meta({ description: 'Page number from 1; default 1, also for 0' }),
      'paging_invalid',
    ),
    pageSize: withReason(sizeOrDefault(defaultRows), 'paging_invalid'),
  };
}

/** The requested page of an ordered list. */
export interface Page {
  limit: number;
  skip: number;
}

/** Set when a page has fewer rows than requested because of the limit on the response size. */
export const shortened = z.exactOptional(z.literal(true)).meta({
  description: 'Only on a page with fewer rows than requested because of their size: continue after them',
});

/** A page of an ordered list, with the total number of rows. */
export interface Paged<Row> {
  total: number;
  rows: Row[];
}

/** The output of a list operation with a total count. */
export function pagedOutput<Row extends z.ZodType>(row: Row) {
  return z.object({ total: z.int(), limit: z.int(), skip: z.int(), data: z.array(row) });
}

/** The output for a page of a list. */
export function pageOf<Row>({ limit, skip }: Page, { total, rows }: Paged<Row>) {
  return { total, limit, skip, data: rows };
}

/** The texts of a page end after this many bytes, so that no caller gets many megabytes at once. */
const maxTextBytes = 1024 * 1024;

/** The first `limit` rows, or as many of them as fit on a page by the size of their long text; at least one. */
export function firstThatFit<Row>(
  rows: readonly Row[],
  limit: number,
  textOf: (row: Row) => string,
): readonly Row[] {
  let bytes = 0;
  const over = rows.findIndex((row) => {
    bytes += Buffer.byteLength(textOf(row));
    return bytes > maxTextBytes;
  });
  return rows.slice(0, over === -1 ? limit : Math.min(limit, Math.max(1, over)));
}
