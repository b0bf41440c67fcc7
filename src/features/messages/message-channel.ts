import { z } from 'zod';
import { id, text, timestamp } from '../../core/schemas/fields.ts';
import { nameText } from '../../core/schemas/names.ts';
import { seenByOthers } from '../../core/schemas/seen-text.ts';
import { reactionCount } from './reaction.ts';

/** What a participant may do in a message channel. */
export const permission = z.enum(['send-messages', 'add-members', 'edit-info', 'super-admin']);
export type Permission = z.infer<typeof permission>;

/** The creator of a channel may do everything in it; other members may by default send messages. */
export const creatorPermissions: readonly Permission[] = permission.options;
export const memberPermissions: readonly Permission[] = ['send-messages'];

/** The most participants of one channel, the creator included. */
export const maxParticipants = 256;

/** The most channels of a game that a player can have created and be in. */
export const maxStartedChannels = 1_000;
/** A player in this many channels of a game cannot be added to more by others. */
export const maxJoinedChannels = 1_000;
/** The most channels of a game to which one player can add the same other player. */
export const maxSharedChannels = 100;

const participant = z.object({
  wallet: z.string(),
  userGroup: z.int().meta({ description: 'Reserved; always 0' }),
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

/** What a new channel has besides its participants. */
export interface NewChannelInfo {
  name?: string | undefined;
  /** By wallet; participants not listed get `memberPermissions`. */
  permissions?: Readonly<Record<string, readonly Permission[]>> | undefined;
}

/** The editable fields of a channel; omitted fields are unchanged. */
export interface ChannelInfo {
  name?: string | undefined;
  chatPicture?: string | undefined;
}

/** A member of a message channel, with the sessions that determine whether they are online. */
export interface ChannelMember {
  wallet: string;
  /** Empty for a wallet that was added to the channel but has never signed in; so is `avatar`. */
  username: string;
  avatar: string;
  /** The newest of the member's live sessions in the game and in launchers, a few of each. */
  sessionIds: string[];
}

/** A channel message without its content: what remains once it has been unsent. */
export const messageIdentity = z
  .object({
    _id: id,
    channelId: id,
    senderId: z.string().meta({ description: "The sender's wallet in lowercase, as in `participants`" }),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'ChannelMessageIdentity' });
export type MessageIdentity = z.infer<typeof messageIdentity>;

export const channelMessage = messageIdentity
  .extend({
    content: z.string(),
    replyTo: z.exactOptional(id).meta({
      description:
        'The message in this channel that this one replies to, which may have been unsent since; omitted if it is not a reply',
    }),
    reactions: z.exactOptional(z.array(reactionCount)).meta({
      description: 'In the order of first use; omitted if there are none',
    }),
  })
  .meta({ id: 'ChannelMessage' });
export type ChannelMessage = z.infer<typeof channelMessage>;

export const messageContent = seenByOthers(text(1, 4000), { as: 'text', mute: 'command' });

export const maxChannelName = 100;

/** The name of a new channel. */
export const newChannelName = seenByOthers(nameText(0, maxChannelName), { as: 'name', mute: 'call' });
export const channelName = seenByOthers(nameText(0, maxChannelName), { as: 'name', mute: 'command' });
export const chatPicture = seenByOthers(text(0, 2000), { as: 'name', mute: 'command' });

/** Whether a participant has a permission; `super-admin` implies all of them. */
export function hasPermission(member: Pick<Participant, 'permissions'>, wanted: Permission): boolean {
  return member.permissions.includes(wanted) || member.permissions.includes('super-admin');
}
