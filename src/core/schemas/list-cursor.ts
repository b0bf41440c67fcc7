import { z } from 'zod';
import { GantryError } from '../../errors.ts';
import { withReason } from './field-reason.ts';

/** From which end a list is read. */
export type ListOrder = 'newest' | 'oldest';

const orders = { n: 'newest', o: 'oldest' } as const satisfies Record<string, ListOrder>;
const maxLength = 200;

/** A place in a list: which way it is read, and the row it goes on behind. Null: its beginning. */
export interface Place {
  order: ListOrder | null;
  behind: string | null;
}

/** A cursor as callers are given it: what it says is the list's own. */
export function toListCursor(order: ListOrder, behind: string): string {
  return Buffer.from(`${order === 'newest' ? 'n' : 'o'}.${behind}`).toString('base64url');
}

/**
 * The fields `cursor` and `order` of a list that is read on from where the page before ended. `behind`: what the list's own
 * cursors say.
 */
export function cursorFieldsOf(behind: RegExp) {
  const cursor = z
    .string()
    .max(maxLength)
    .transform((text, context): Place => {
      if (text === '') return { order: null, behind: null };
      const said = /^([no])\.(.+)$/.exec(Buffer.from(text, 'base64url').toString());
      const [, letter, rest] = said ?? [];
      if (rest !== undefined && behind.test(rest)) {
        return { order: letter === 'n' ? orders.n : orders.o, behind: rest };
      }
      context.addIssue({ code: 'custom', message: 'must be the `nextCursor` of the page before, or empty' });
      return z.NEVER;
    })
    .optional()
    .meta({
      description: 'The `nextCursor` of the page before, or empty for the first page; in the place of `skip`',
    });
  const order = z
    .enum(['newest', 'oldest'])
    .optional()
    .meta({ description: 'Which rows come first with cursors; default `newest`' });
  return { cursor: withReason(cursor, 'paging_invalid'), order: withReason(order, 'paging_invalid') };
}

/** The rows wanted of a list that is read by cursors. */
export interface CursorPage {
  limit: number;
  order: ListOrder;
  /** The row behind which they are, as the list has it in its cursors; null: from the beginning. */
  behind: string | null;
}

/**
 * What a call asks for with `cursor` or `order`; null where it has neither, and is answered with `skip`.
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
  if (skip > 0) throw invalid('skip', 'must be left out where there is a cursor or an order');
  if (cursor?.order && order && cursor.order !== order) {
    throw invalid('order', `must be that of the page before, ${cursor.order}, or left out`);
  }
  return { limit, order: cursor?.order ?? order ?? 'newest', behind: cursor?.behind ?? null };
}

/** What an answer to such a call has beside its rows. */
export const cursorOutput = {
  nextCursor: z
    .exactOptional(z.string())
    .meta({ description: 'Only with `cursor` or `order`: where to read on, now or once there is more' }),
  more: z
    .exactOptional(z.boolean())
    .meta({ description: 'Only with `cursor` or `order`: whether there is more right now' }),
};

/** Where a page by cursors ends. */
export interface CursorEnd {
  nextCursor: string;
  more: boolean;
}

function invalid(path: string, message: string): GantryError {
  return new GantryError('paging_invalid', `${path}: ${message}`, { fields: [{ path, message }] });
}
