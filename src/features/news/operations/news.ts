import { z } from 'zod';
import { everyRole, operators } from '../../../core/schemas/admin-role.ts';
import { idInput, success } from '../../../core/schemas/fields.ts';
import { comparableId, nilId } from '../../../core/schemas/ids.ts';
import { cursorFieldsOf, type Place, toListCursor } from '../../../core/schemas/list-cursor.ts';
import { firstThatFit, paging, pagingOf } from '../../../core/schemas/paging.ts';
import { notSeen } from '../../../core/schemas/seen-text.ts';
import type { Store } from '../../../core/storage/store.ts';
import { gameInput, gameNamedBy, requireGame, requireNamedGame } from '../../games/require-game.ts';
import { type Callers, defineAdminOperation, defineOperation } from '../../operation.ts';
import { rowsCost } from '../../operation-cost.ts';
import { addNews, changeNews, deleteNews, moveNewsMark } from '../commands.ts';
import {
  isReadBy,
  never,
  newsBody,
  newsImage,
  newsItem,
  newsRecord,
  newsStatus,
  newsTime,
  newsTitle,
  toNewsItem,
  toNewsRecord,
} from '../news.ts';
import { listNewsRows, listPublished, type NewsPage, pageWithReading } from '../queries.ts';
import type { NewsRow } from '../tables.ts';

const unchanged = 'Omitted: unchanged';
const publishAt = newsTime.nullable().optional();
const expiresAt = newsTime.nullable().optional().meta({
  description: 'From then on it is no longer listed; null: it does not expire',
});

export const publishNews = defineAdminOperation({
  name: 'publishNews',
  kind: 'write',
  summary: 'Publish a news item of a game or of the installation, now or at a time, or save a draft',
  roles: operators,
  input: z.object({
    gameId: idInput.optional().meta({ description: 'The game that it is about; omitted: the installation' }),
    title: newsTitle.meta({ description: 'Plain text' }),
    body: newsBody.default('').meta({ description: 'Markdown, at most 10,000 characters' }),
    image: newsImage.default('').meta({ description: 'Absolute URL, or a path on this server' }),
    pinned: z.boolean().default(false).meta({ description: 'Listed before items that are not pinned' }),
    publishAt: publishAt.meta({
      description: 'When to publish it; default: now, as for a time in the past; null: a draft',
    }),
    expiresAt,
  }),
  output: z.object({ success, item: newsRecord }),
  async handler({ input: { gameId = '', ...item } }, { db }: { db: Store }) {
    return { success: true, item: await db.write(addNews, gameId, item) };
  },
});

export const updateNews = defineAdminOperation({
  name: 'updateNews',
  kind: 'write',
  summary: 'Update a news item; a draft or scheduled one is published when its time has come',
  roles: operators,
  input: z.object({
    newsId: idInput,
    ifVersion: notSeen(z.int().min(1).optional(), 'id').meta({
      description: 'Only if this is its `version`, so that a change by someone else is not overwritten',
    }),
    title: newsTitle.optional().meta({ description: unchanged }),
    body: newsBody.optional().meta({ description: unchanged }),
    image: newsImage.optional().meta({ description: unchanged }),
    pinned: z.boolean().optional().meta({ description: unchanged }),
    publishAt: publishAt.meta({
      description: 'When to publish it; null: a draft. Must be omitted once it is published',
    }),
    expiresAt,
  }),
  output: z.object({ success, item: newsRecord }),
  async handler({ input: { newsId, ifVersion, ...changes } }, { db }: { db: Store }) {
    return { success: true, item: await db.write(changeNews, newsId, changes, ifVersion) };
  },
});

export const removeNews = defineAdminOperation({
  name: 'removeNews',
  kind: 'write',
  summary: 'Remove a news item',
  roles: operators,
  input: z.object({ newsId: idInput }),
  output: z.object({ success }),
  async handler({ input: { newsId } }, { db }: { db: Store }) {
    await db.write(deleteNews, newsId);
    return { success: true };
  },
});

export const listNewsItems = defineAdminOperation({
  name: 'listNewsItems',
  kind: 'read',
  summary: 'List news items, including drafts, scheduled and expired ones, latest first',
  roles: everyRole,
  input: z.object({
    ...paging,
    gameId: idInput.optional().meta({ description: 'Omitted: of all games and of the installation' }),
    status: newsStatus.optional().meta({ description: 'Omitted: any' }),
  }),
  cost: rowsCost(5),
  output: z.object({ success, total: z.int(), items: z.array(newsRecord) }),
  async handler({ input }, { db }: { db: Store }) {
    if (input.gameId !== undefined) await requireGame(db, input.gameId);
    const { total, rows } = await db.read(listNewsRows, input);
    return { success: true, total, items: rows.map((row) => toNewsRecord(row, db.now())) };
  },
});

export const listNews = defineOperation({
  name: 'listNews',
  service: 'launcher',
  kind: 'read',
  summary:
    "List published news, pinned ones first, then the latest; with a player's token also what is unread",
  auth: 'player-or-anyone',
  input: z.object({
    gameId: gameInput.optional().meta({
      description:
        "Id or slug. Default: the game of the token; without a token or with a launcher's, news of all games and of the installation",
    }),
    limit: pagingOf(20).limit,
    cursor: cursorFieldsOf(/^[01]\.\d{1,16}\.[0-9a-f-]{36}$/).cursor,
  }),
  cost: rowsCost(5),
  output: z.object({
    success,
    news: z.array(newsItem),
    unread: z.exactOptional(z.int()).meta({
      description:
        "Only with a player's token: listed items, on all pages, that the player has not marked as read",
    }),
    newest: z.exactOptional(z.string().nullable()).meta({
      description:
        "Only with a player's token: the `newsId` with which `markNewsRead` marks all of them; null: none",
    }),
    nextCursor: z.string().meta({ description: 'Where to continue reading' }),
    more: z.boolean().meta({ description: 'Whether there are more now' }),
  }),
  async handler({ input: { gameId: named, limit, cursor }, caller }, { db }: { db: Store }) {
    const gameId = await listedGame(db, caller, named);
    const page = { limit: limit + 1, after: placeOf(cursor) };
    if (!caller) {
      const rows = await db.read(listPublished, gameId, page);
      const shown = firstThatFit(rows, limit, bodyOf);
      return { success: true, ...pageOf(rows, shown, cursor), news: shown.map(toNewsItem) };
    }
    const { rows, reading } = await db.read(pageWithReading, caller.wallet, gameId, page);
    const { unread, newest, marks } = reading;
    const shown = firstThatFit(rows, limit, bodyOf);
    const news = shown.map((row) => ({ ...toNewsItem(row), read: isReadBy(marks, row) }));
    return { success: true, ...pageOf(rows, shown, cursor), news, unread, newest };
  },
});

export const markNewsRead = defineOperation({
  name: 'markNewsRead',
  service: 'launcher',
  kind: 'write',
  isRepeatable: true,
  summary: 'Mark the news as read up to an item, in the order of publication; the mark only moves forward',
  auth: 'player',
  input: z.object({
    upTo: idInput.meta({ description: 'The `newsId` of the last item, or `newest` of `listNews` for all' }),
    gameId: gameInput.optional().meta({
      description:
        "The game whose news is marked, as for `listNews`; default with a launcher's token: all news",
    }),
  }),
  output: z.object({ success }),
  async handler({ input: { upTo, gameId: named }, caller }, { db }: { db: Store }) {
    const gameId = await listedGame(db, caller, named);
    await db.write(moveNewsMark, caller.wallet, gameId ?? '', upTo);
    return { success: true };
  },
});

/**
 * The game whose news a caller lists; null: all.
 * @throws GantryError `game_unknown`, `not_a_launcher`
 */
async function listedGame(
  db: Store,
  caller: Callers['player-or-anyone'],
  named: string | undefined,
): Promise<string | null> {
  if (!caller) return named === undefined ? null : (await requireNamedGame(db, named)).id;
  if (named === undefined && caller.game.kind === 'launcher') return null;
  return (await gameNamedBy(db, caller.game, named)).id;
}

function placeOf(cursor: Place | undefined): NewsPage['after'] {
  if (!cursor?.behind) return null;
  const [pinned, publishedAt, newsId = ''] = cursor.behind.split('.');
  return { pinned: Number(pinned), publishedAt: Number(publishedAt), newsId: comparableId(newsId) };
}

const bodyOf = ({ body }: NewsRow) => body;

/** Where a page ends. `rows`: more than those shown if there are more. */
function pageOf(
  rows: readonly NewsRow[],
  shown: readonly NewsRow[],
  cursor: Place | undefined,
): { nextCursor: string; more: boolean } {
  const last = shown.at(-1);
  const behind = last ? `${last.pinned}.${last.publishedAt}.${last.id}` : (cursor?.behind ?? start);
  return { nextCursor: toListCursor('newest', behind), more: rows.length > shown.length };
}

/** The cursor before every row. */
const start = `1.${never}.${nilId}`;
