import { z } from 'zod';
import { operators } from '../../../core/schemas/admin-role.ts';
import { idInput, success } from '../../../core/schemas/fields.ts';
import { cursorFieldsOf, toListCursor } from '../../../core/schemas/list-cursor.ts';
import { firstThatFit, pagingOf } from '../../../core/schemas/paging.ts';
import type { Store } from '../../../core/storage/store.ts';
import { gameInput, requireNamedGame } from '../../games/require-game.ts';
import { gameVersion } from '../../games/version.ts';
import { defineAdminOperation, defineOperation } from '../../operation.ts';
import { rowsCost } from '../../operation-cost.ts';
import { addRelease, deleteRelease } from '../commands.ts';
import { listReleaseRows } from '../queries.ts';
import { release, releaseNotes, releaseUrl, toRelease } from '../release.ts';

export const publishRelease = defineAdminOperation({
  name: 'publishRelease',
  kind: 'write',
  summary: "Publish a release of a game, which becomes the game's current version",
  roles: operators,
  input: z.object({
    gameId: idInput,
    version: gameVersion.meta({ description: 'One to four numbers with dots, such as `1.4.2`' }),
    notes: releaseNotes
      .default('')
      .meta({ description: 'Release notes, Markdown, at most 10,000 characters' }),
    url: releaseUrl.default('').meta({ description: 'Where to get it: absolute, or a path on this server' }),
    required: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether players should stop using earlier versions; launchers show it' }),
  }),
  output: z.object({ success, release }),
  async handler({ input: { gameId, ...input } }, { db }: { db: Store }) {
    return { success: true, release: await db.write(addRelease, gameId, input) };
  },
});

export const removeRelease = defineAdminOperation({
  name: 'removeRelease',
  kind: 'write',
  summary: "Remove a release; without the latest, the one before it is the game's current version again",
  roles: operators,
  input: z.object({ gameId: idInput, version: gameVersion }),
  output: z.object({ success }),
  async handler({ input: { gameId, version } }, { db }: { db: Store }) {
    await db.write(deleteRelease, gameId, version);
    return { success: true };
  },
});

export const listReleases = defineOperation({
  name: 'listReleases',
  service: 'launcher',
  kind: 'read',
  summary: "List a game's releases with their notes, latest first; the first is its current version",
  auth: 'public',
  input: z.object({
    gameId: gameInput,
    limit: pagingOf(20).limit,
    cursor: cursorFieldsOf(/^\d{1,16}$/).cursor,
  }),
  cost: rowsCost(5),
  output: z.object({
    success,
    releases: z.array(release),
    nextCursor: z.string().meta({ description: 'Where to continue reading' }),
    more: z.boolean().meta({ description: 'Whether there are more now' }),
  }),
  async handler({ input: { gameId, limit, cursor } }, { db }: { db: Store }) {
    const game = await requireNamedGame(db, gameId);
    const before = cursor?.behind ?? `${Number.MAX_SAFE_INTEGER}`;
    const rows = await db.read(listReleaseRows, game.id, { before: Number(before), limit: limit + 1 });
    const releases = firstThatFit(rows, limit, ({ notes }) => notes).map(toRelease);
    const behind = `${releases.at(-1)?.publishedAt ?? before}`;
    const more = rows.length > releases.length;
    return { success: true, releases, nextCursor: toListCursor('newest', behind), more };
  },
});
