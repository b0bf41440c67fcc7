import { z } from 'zod';
import { id, timestamp } from './ids.ts';
import { text } from './text.ts';

/** What a participant may do in a message channel. */
export const permission = z.enum(['send-messages', 'add-members', 'edit-info', 'super-admin']);
export type Permission = z.infer<typeof permission>;

/** Who starts a channel may do everything in it; who is added may write. */
export const creatorPermissions: readonly Permission[] = permission.options;
export const memberPermissions: readonly Permission[] = ['send-messages'];

/** The most participants of one channel, the creator included. */
export const maximumParticipants = 256;

export const participant = z.object({
  wallet: z.string(),
  userGroup: z.int().meta({ description: 'Reserved for grouping by the game; 0' }),
  permissions: z.array(permission),
});
export type Participant = z.infer<typeof participant>;

export const messageChannel = z
  .object({
    _id: id,
    name: z.string(),
    chatPicture: z.string(),
    createdAt: timestamp,
    updatedAt: timestamp,
    participants: z.array(participant),
    gameId: id,
  })
  .meta({ id: 'MessageChannel' });
export type MessageChannel = z.infer<typeof messageChannel>;

/** A channel message without what was said: what is left to tell once it has been unsent. */
export const messageIdentity = z
  .object({
    _id: id,
    channelId: id,
    senderId: z.string().meta({ description: "The sender's wallet, lowercase, as in `participants`" }),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'ChannelMessageIdentity' });
export type MessageIdentity = z.infer<typeof messageIdentity>;

export const channelMessage = messageIdentity.extend({ content: z.string() }).meta({ id: 'ChannelMessage' });
export type ChannelMessage = z.infer<typeof channelMessage>;

export const messageContent = text(1, 4000);

/** Whether a participant holds a permission; `super-admin` holds them all. */
export function may(member: Participant, wanted: Permission): boolean {
  return member.permissions.includes(wanted) || member.permissions.includes('super-admin');
}
