import { z } from 'zod';
import { text } from '../../core/schemas/fields.ts';
import { nameText } from '../../core/schemas/names.ts';
import { gameUrl } from './game.ts';

export const gameDescription = text(0, 5_000).meta({
  description: 'Plain text, with line breaks, at most 5,000 characters',
});

export const gameTag = nameText(1, 40);

const gameTags = z
  .array(gameTag)
  .max(20)
  .refine((tags) => new Set(tags).size === tags.length, 'must not repeat a tag')
  .meta({ description: 'At most 20 tags, in the order in which they are shown' });

export const gameMedia = z
  .array(
    z.strictObject({
      kind: z.enum(['image', 'video']),
      url: gameUrl.meta({ description: 'Absolute, or a path on this server' }),
      alt: text(0, 300).default('').meta({ description: 'What it shows, for players who cannot see it' }),
    }),
  )
  .max(20)
  .meta({ description: 'At most 20 images and videos, in the order in which they are shown' });

/** Text, because each country has its own ratings. */
export const ageRating = text(0, 20).meta({
  description: 'As its rating board writes it, such as `PEGI 12`; empty when it has none',
});

/** What a launcher shows on the page of a game, besides what lists of games have and the version of its latest release. */
export const gameDetailFields = {
  description: gameDescription,
  tags: gameTags,
  media: gameMedia,
  ageRating,
};
const gameDetails = z.object(gameDetailFields);
export type GameDetails = z.output<typeof gameDetails>;

/** In a request: omitted fields are unchanged, and empty ones are removed. */
export const gameDetailInput = gameDetails.partial().shape;
/** Omitted fields are kept. */
export type GameDetailChanges = { readonly [Name in keyof GameDetails]?: GameDetails[Name] | undefined };
