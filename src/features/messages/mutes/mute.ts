import { z } from 'zod';
import { text } from '../../../core/schemas/fields.ts';
import { notSeen } from '../../../core/schemas/seen-text.ts';

/** Who imposed a mute: a super-admin of the channel, the game's server, or a moderator. */
export const muter = z.enum(['channel', 'server', 'moderator']);
export type Muter = z.infer<typeof muter>;

const maxSeconds = 365 * 24 * 3600;
export const muteSeconds = z
  .int()
  .min(0)
  .max(maxSeconds)
  .meta({ description: 'Duration of the mute from now, in seconds; 0 ends the mute' });
/** The reason that a game's server or a moderator gives. */
export const muteReason = notSeen(text(0, 500), 'game')
  .default('')
  .meta({ description: 'Shown to the muted player' });
