import { z } from 'zod';
import { invalidField } from '../errors.ts';
import { withReason } from './field-reason.ts';

/** The direction a list is read in. */
export type ListOrder = 'newest' | 'oldest';

const orders = { n: 'newest', o: 'oldest' } as const satisfies Record<string, ListOrder>;
const maxLength = 200;

/** A position in a list: the order, and the row after which reading continues. Null: the beginning. */
export interface Place {
  order: ListOrder | null;
  behind: string | null;
}

/** Encodes a cursor for callers; the format of `behind` is specific to the list. */
export function toListCursor(order: ListOrder, behind: string): string {
  return Buffer.from(`${order === 'newest' ? 'n' : 'o'}.${behind}`).toString('base64url');
}

/**
 * The fields `cursor` and `order` of a list with cursor pagination. `behind` matches the row part of the list's
 * cursors.
 */
export function cursorFieldsOf(behind: RegExp) {
  const cursor = z
    .string()
    .max(maxLength)
    .transform((text, context): Place => {
      if (text === '') return { order: null, behind: null };
      const match = /^([no])\.(.+)$/.exec(Buffer.from(text, 'base64url').toString());
      const [, letter, rest] = match ?? [];
      if (rest !== undefined && behind.test(rest)) {
        return { order: letter === 'n' ? orders.n : orders.o, behind: rest };
      }
      context.addIssue({
        code: 'custom',
        message: 'must be the `nextCursor` of the previous page, or empty',
      });
      return z.NEVER;
    })
    .optional()
    .meta({
      description: 'The `nextCursor` of the previous page, or empty for the first page; replaces `skip`',
    });
  const order = z
    .enum(['newest', 'oldest'])
    .optional()
    .meta({ description: 'Which rows come first with cursors; default `newest`' });
  return { cursor: withReason(cursor, 'paging_invalid'), order: withReason(order, 'paging_invalid') };
}

/** The requested page of a list with cursor pagination. */
export interface CursorPage {
  limit: number;
  order: ListOrder;
  /** The row after which the page begins, in the format of the list's cursors; null: the beginning. */
  behind: string | null;
}

/**
 * The page requested with `cursor` or `order`; null when a call has neither and is paged with `skip`.
 * @throws GantryError `paging_invalid`
 */
export function cursorPageOf({
  limit,
  skip,
  cursor,
  order,
}: {
  limit: number;
  skip: number;
  cursor?: Place | undefined;
  order?: ListOrder | undefined;
}): CursorPage | null {
  if (cursor === undefined && order === undefined) return null;
  if (skip > 0) throw invalidField('skip', 'must be omitted with a cursor or an order', 'paging_invalid');
  if (cursor?.order && order && cursor.order !== order) {
    throw invalidField(
      'order',
      `must be that of the previous page, ${cursor.order}, or omitted`,
      'paging_invalid',
    );
  }
  return { limit, order: cursor?.order ?? order ?? 'newest', behind: cursor?.behind ?? null };
}

/** Output fields of a list with cursor pagination, in addition to its rows. */
export const cursorOutput = {
  nextCursor: z.exactOptional(z.string()).meta({
    description: 'Only with `cursor` or `order`: where to continue reading, now or once there are more rows',
  }),
  more: z
    .exactOptional(z.boolean())
    .meta({ description: 'Only with `cursor` or `order`: whether there are more rows now' }),
};

/** The end of a page with cursor pagination. */
export interface CursorEnd {
  nextCursor: string;
  more: boolean;
}
