import { z } from 'zod';
import { text } from '../core/schemas/text.ts';

/** Whose mute it is: of whoever runs the channel, of the game's server, or of a moderator. */
export const muter = z.enum(['channel', 'server', 'moderator']);
export type Muter = z.infer<typeof muter>;

const maxSeconds = 365 * 24 * 3600;
export const muteSeconds = z
  .int()
  .min(0)
  .max(maxSeconds)
  .meta({ description: 'For how long, from now; 0 ends it' });
export const muteReason = text(0, 500).default('').meta({ description: 'The muted player is told' });
