import { z } from 'zod';
import { id, normalizedAddress, timestamp } from '../../core/schemas/fields.ts';
import { seenByOthers } from '../../core/schemas/seen-text.ts';

/** The most different reactions to one message. */
export const maxReactionKinds = 20;
/** The most reactions to one message, all kinds and players together. */
export const maxReactions = 1_000;

/** The name of a game's custom emote. */
const emoteName = /^[a-z0-9_+-]{1,32}$/;
/** Selects the emoji presentation of a character that also has a text presentation (VS16). */
const variationSelector = '\u{FE0F}';

/**
 * One emoji, or a name. A missing variation selector is added, so that there are no two reactions that look the same.
 */
export const reactionInput = z
  .string()
  .max(64)
  .transform((value, context) => {
    if (emoteName.test(value) || isEmoji(value)) return value;
    if (isEmoji(`${value}${variationSelector}`)) return `${value}${variationSelector}`;
    context.addIssue({
      code: 'custom',
      message: 'must be one emoji, or an emote name of 1 to 32 characters (a-z, 0-9, _, + and -)',
    });
    return z.NEVER;
  })
  .meta({
    description:
      "One emoji, or the name of one of the game's emotes: 1 to 32 characters (a-z, 0-9, _, + and -)",
  });

/** The expression is made at the first use: collecting all emoji takes 5 ms in each thread that starts. */
function isEmoji(value: string): boolean {
  return /^\p{RGI_Emoji}$/v.test(value);
}

/** A reaction to add, which other players see. */
export const newReaction = seenByOthers(reactionInput, { as: 'name', mute: 'command' });

export const reactionCount = z
  .object({
    reaction: z.string(),
    count: z.int().min(1).meta({ description: 'Number of players with this reaction' }),
    own: z.exactOptional(z.literal(true)).meta({
      description:
        'Present if the player is one of them; only in responses, since events are the same for every player',
    }),
  })
  .meta({ id: 'ReactionCount' });
export type ReactionCount = z.infer<typeof reactionCount>;

/** The payload of reaction events. */
export const reaction = z
  .object({
    channelId: id,
    messageId: id,
    wallet: normalizedAddress.meta({ description: 'The player who added or removed the reaction' }),
    reaction: z.string(),
    count: z.int().min(0).meta({ description: 'Number of players with this reaction after the change' }),
    at: timestamp,
  })
  .meta({ id: 'MessageReaction' });
