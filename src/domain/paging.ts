import { z } from 'zod';
import { withReason } from './field-reason.ts';

const defaultSize = 50;
const maximumSize = 250;

const size = z
  .int('must be a whole number, 0 or more')
  .min(0, 'must be a whole number, 0 or more')
  .default(defaultSize)
  .transform((asked) => Math.min(asked, maximumSize))
  .meta({
    description: `Rows wanted; default ${defaultSize}, more than ${maximumSize} is capped to ${maximumSize}`,
  });

const skip = z
  .int('must be a whole number, 0 or more')
  .min(0, 'must be a whole number, 0 or more')
  .default(0)
  .meta({ description: 'Rows to pass over; default 0' });

/** The fields `limit` and `skip` of a list operation's input (DESIGN.md "Paging"). */
export const paging = { limit: withReason(size, 'paging_invalid'), skip: withReason(skip, 'paging_invalid') };

/** The fields `pageNumber` (from 1) and `pageSize` of `GET /activities`. */
export const pageNumbering = {
  pageNumber: withReason(
    z.int('must be a whole number, 1 or more').min(1, 'must be a whole number, 1 or more').default(1),
    'paging_invalid',
  ),
  pageSize: withReason(size, 'paging_invalid'),
};

/** The rows wanted of an ordered list. */
export interface Page {
  limit: number;
  skip: number;
}

/** A part of an ordered list and the size of the whole. */
export interface Paged<Row> {
  total: number;
  rows: Row[];
}

/** The answer of a list operation that tells the size of the whole. */
export function pagedOutput<Row extends z.ZodType>(row: Row) {
  return z.object({ total: z.int(), limit: z.int(), skip: z.int(), data: z.array(row) });
}
