import { z } from 'zod';
import { idInput } from '../../../core/schemas/ids.ts';
import { maxFollowed } from '../connection.ts';

/** The names of public streams, `game:<id>`, as basement.fun's clients receive them: a list of channels. */
export const channelNames = z.array(z.string());

/** The subscription request of those clients; their channel `tournaments` is not supported. */
export const gameStats = z.object({
  channel: z.literal('game-stats', 'must be game-stats: tournaments are not supported'),
  gameIds: z.array(idInput).min(1).max(maxFollowed),
  filter: z.literal('all').nullish(),
});

/** Channels by their names as received, or by the ids of their games. */
export const namedChannels = z.object({
  channels: z.array(idInput.transform((name) => name.replace(/^game:/, ''))).max(maxFollowed),
});
