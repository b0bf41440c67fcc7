import { z } from 'zod';
import { normalizedAddress, timestamp } from '../../core/schemas/fields.ts';

/** The fields of a player's privacy, each with its default. */
const fields = {
  requests: z
    .enum(['everyone', 'code', 'nobody'])
    .meta({ description: "Who may send friend requests; `code`: who has the player's friend code" }),
  presence: z.enum(['friends', 'nobody']).meta({ description: 'Who sees that the player is online' }),
  showGame: z.boolean().meta({ description: 'Whether friends see which game the player has open' }),
  invites: z.enum(['friends', 'nobody']).meta({ description: 'Who may invite the player to a game' }),
  searchable: z.boolean().meta({ description: 'Whether others find the player by name' }),
  showPlaytime: z.boolean().meta({ description: 'Whether friends see how long the player has played' }),
};

/** What a player lets others know and do. */
export const privacy = z.object(fields).meta({ id: 'Privacy' });
export type Privacy = z.infer<typeof privacy>;

/** In a request: omitted fields are kept. */
export const privacyChanges = privacy.partial();
export type PrivacyChanges = z.infer<typeof privacyChanges>;

export const defaultPrivacy: Privacy = {
  requests: 'everyone',
  presence: 'friends',
  showGame: true,
  invites: 'friends',
  searchable: true,
  showPlaytime: true,
};

/** A player has changed who sees what. */
export const privacyRecord = privacy
  .extend({ normalizedAddress, updatedAt: timestamp })
  .meta({ id: 'PrivacyRecord' });
