import { z } from 'zod';
import { id, text, timestamp } from '../../core/schemas/fields.ts';
import { gameUrl } from '../games/game.ts';
import type { ReleaseRow } from './tables.ts';

/** The most releases of a game. */
export const maxReleases = 1_000;

export const releaseNotes = text(0, 10_000);
export const releaseUrl = z.union([gameUrl, z.literal('')]);

/** What followers of a game, and webhooks, are told of a release. */
export const releaseAnnouncement = z.object({
  gameId: id,
  version: z.string(),
  required: z.boolean().meta({ description: 'Whether players should stop using earlier versions' }),
  url: z.string().meta({ description: 'Where to get it: absolute, or a path on this server; empty: none' }),
  publishedAt: timestamp,
});

/** A release of a game. */
export const release = releaseAnnouncement
  .extend({
    notes: z
      .string()
      .meta({ description: 'Release notes, Markdown by administrators: render it without HTML' }),
  })
  .meta({ id: 'Release' });
export type Release = z.infer<typeof release>;

export interface NewRelease {
  version: string;
  notes: string;
  url: string;
  required: boolean;
}

export function toRelease({ required, ...row }: ReleaseRow): Release {
  return { ...row, required: required === 1 };
}
