import { z } from 'zod';
import { normalizedAddress } from '../../core/schemas/address.ts';
import { id, timestamp } from '../../core/schemas/ids.ts';
import { seenByOthers } from '../../core/schemas/seen-text.ts';

/** The most different reactions to one message. */
export const maxReactionKinds = 20;
/** The most reactions to one message, all kinds and players together. */
export const maxReactions = 1_000;

/** The name of a game's custom emote. */
const emoteName = /^[a-z0-9_+-]{1,32}$/;
const emoji = /^\p{RGI_Emoji}$/v;
/** Selects the emoji presentation of a character that also has a text presentation (VS16). */
const variationSelector = '\u{FE0F}';

/**
 * One emoji, or a name. A missing variation selector is added, so that there are no two reactions that look the same.
 */
export const reactionInput = z
  .string()
  .max(64)
  .transform((value, context) => {
    if (emoteName.test(value) || emoji.test(value)) return value;
    if (emoji.test(`${value}${variationSelector}`)) return `${value}${variationSelector}`;
    context.addIssue({
      code: 'custom',
      message: 'must be one emoji, or a name of 1 to 32 of the characters a-z, 0-9, _, + and -',
    });
    return z.NEVER;
  })
  .meta({
    description: 'One emoji, or a name of 1 to 32 characters a-z, 0-9, _, + and - for an emote of the game',
  });

/** A reaction to add: others see it at once. */
export const newReaction = seenByOthers(reactionInput, { as: 'name', mute: 'command' });

export const reactionCount = z
  .object({
    reaction: z.string(),
    count: z.int().min(1).meta({ description: 'How many players have reacted with it' }),
    own: z.exactOptional(z.literal(true)).meta({
      description:
        'Whether the player is one of them; only in responses, since events are the same for everyone',
    }),
  })
  .meta({ id: 'ReactionCount' });
export type ReactionCount = z.infer<typeof reactionCount>;

/** The payload of reaction events. */
export const reaction = z
  .object({
    channelId: id,
    messageId: id,
    wallet: normalizedAddress.meta({ description: 'Who added or removed the reaction' }),
    reaction: z.string(),
    count: z.int().min(0).meta({ description: 'How many players have reacted with it, including this one' }),
    at: timestamp,
  })
  .meta({ id: 'MessageReaction' });
