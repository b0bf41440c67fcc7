import { expect } from 'vitest';
import { addNews } from '../../../src/features/news/commands.ts';
import { addRelease, deleteRelease } from '../../../src/features/releases/commands.ts';
import type { World } from '../../support/world.ts';
import { type AccessByRole, anyone, ownThingsOfPlayers, refused } from '../access.ts';
import type { AdminCases, LauncherCases } from '../operation-case.ts';

const item = {
  newsId: '<id>',
  gameId: '<game>',
  title: 'Season 2',
  body: 'A *new* season',
  image: '',
  pinned: false,
  publishedAt: '<time>',
  changedAt: '<time>',
  expiresAt: null,
};

const record = { ...item, status: 'published', version: 1, createdAt: '<time>', publishAt: '<time>' };

const release = {
  gameId: '<game>',
  version: '1.4.2',
  notes: 'Fixes *everything*',
  url: '',
  required: false,
  publishedAt: '<time>',
};

/** Adds an item to the news of the owner's game; returns its id. */
async function publish({ server, gameId }: World): Promise<string> {
  const { title, body } = item;
  return (await server.services.db.write(addNews, gameId, { title, body })).newsId;
}

/** The owner's game has the release; added if missing. */
async function publishVersion({ server, gameId }: World): Promise<{ gameId: string; version: string }> {
  const { version, notes } = release;
  const { db } = server.services;
  await db.write(addRelease, gameId, { version, notes, url: '', required: false }).catch(() => undefined);
  return { gameId, version };
}

/** A game's session names its own game only. */
const inOwnGameOrLauncher: AccessByRole = {
  ...ownThingsOfPlayers,
  elsewhere: refused(401, 'not_a_launcher'),
};

export const newsCases = {
  listNews: {
    async input(world) {
      await publish(world);
      return { gameId: world.gameId, limit: 1 };
    },
    answer: {
      success: true,
      news: [{ ...item, read: false }],
      unread: expect.any(Number),
      newest: '<id>',
      nextCursor: expect.any(String),
      more: expect.any(Boolean),
    },
    access: { ...inOwnGameOrLauncher, gameServer: 'own', otherGameServer: 'own', anonymous: 'own' },
  },
  markNewsRead: {
    async input(world) {
      return { gameId: world.gameId, upTo: await publish(world) };
    },
    answer: { success: true },
    access: inOwnGameOrLauncher,
  },
  listReleases: {
    async input(world) {
      const { gameId } = await publishVersion(world);
      return { gameId };
    },
    answer: { success: true, releases: [release], nextCursor: expect.any(String), more: false },
    access: anyone,
  },
} satisfies Pick<LauncherCases, 'listNews' | 'markNewsRead' | 'listReleases'>;

export const newsAdminCases = {
  publishNews: {
    input: ({ gameId }) => ({ gameId, title: item.title, body: item.body }),
    answer: { success: true, item: record },
  },
  updateNews: {
    input: async (world) => ({ newsId: await publish(world), ifVersion: 1, pinned: true }),
    answer: { success: true, item: { ...record, pinned: true, version: 2 } },
  },
  removeNews: {
    input: async (world) => ({ newsId: await publish(world) }),
    answer: { success: true },
  },
  listNewsItems: {
    async input(world) {
      await publish(world);
      return { gameId: world.gameId, status: 'published' as const, limit: 1 };
    },
    answer: { success: true, total: expect.any(Number), items: [record] },
  },
  publishRelease: {
    async input(world) {
      const { gameId, version } = await publishVersion(world);
      await world.server.services.db.write(deleteRelease, gameId, version);
      return { gameId, version, notes: release.notes };
    },
    answer: { success: true, release },
  },
  removeRelease: {
    input: publishVersion,
    answer: { success: true },
  },
} satisfies Partial<AdminCases>;
