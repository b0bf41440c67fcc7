import { z } from 'zod';
import { withReason } from './field-reason.ts';

const defaultSize = 50;
const maxSize = 250;

const wholeFromZero = z.int('must be a whole number, 0 or more').min(0, 'must be a whole number, 0 or more');

const size = wholeFromZero
  .default(defaultSize)
  .transform((asked) => Math.min(asked, maxSize))
  .meta({
    description: `Rows wanted; default ${defaultSize}, more than ${maxSize} is capped to ${maxSize}`,
  });

/** Clients in typed languages send 0 for what they leave out. */
function sizeOrDefault(usual: number) {
  return wholeFromZero
    .default(usual)
    .transform((asked) => Math.min(asked || usual, maxSize))
    .meta({
      description: `Rows wanted; default ${usual}, which 0 stands for too; more than ${maxSize} is capped to ${maxSize}`,
    });
}

const skip = wholeFromZero.default(0).meta({ description: 'Rows to pass over; default 0' });

/** The fields `limit` and `skip` of an administrators' list (DESIGN.md "Paging"). */
export const paging = { limit: withReason(size, 'paging_invalid'), skip: withReason(skip, 'paging_invalid') };

/**
 * The fields `limit` and `skip` of a list that games and launchers read; `usual` rows where `limit` is left out or 0. Lists
 * that basement.fun documents have its default.
 */
export function pagingOf(usual = defaultSize) {
  return {
    limit: withReason(sizeOrDefault(usual), 'paging_invalid'),
    skip: withReason(skip, 'paging_invalid'),
  };
}

/** The fields `pageNumber` (from 1; 0 counts as left out) and `pageSize` of `GET /activities`. */
export function pageNumberingOf(usual: number) {
  return {
    pageNumber: withReason(
      wholeFromZero
        .default(1)
        .transform((asked) => asked || 1)
        .meta({ description: 'From 1; default 1, which 0 stands for too' }),
      'paging_invalid',
    ),
    pageSize: withReason(sizeOrDefault(usual), 'paging_invalid'),
  };
}

/** The rows wanted of an ordered list. */
export interface Page {
  limit: number;
  skip: number;
}

/** In an answer with fewer rows than asked for, because more would take too many bytes. */
export const shortened = z.exactOptional(z.literal(true)).meta({
  description: 'Only on a page with fewer rows than asked for because of their size: read on behind them',
});

/** A part of an ordered list and the size of the whole. */
export interface Paged<Row> {
  total: number;
  rows: Row[];
}

/** The answer of a list operation that tells the size of the whole. */
export function pagedOutput<Row extends z.ZodType>(row: Row) {
  return z.object({ total: z.int(), limit: z.int(), skip: z.int(), data: z.array(row) });
}
