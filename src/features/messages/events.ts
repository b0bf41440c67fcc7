import { z } from 'zod';
import { defineEvent } from '../../core/events/event.ts';
import { id, normalizedAddress } from '../../core/schemas/fields.ts';
import { channelMessage, messageChannel, messageIdentity } from './message-channel.ts';
import { reaction } from './reaction.ts';
import { readMarker } from './read-marker.ts';

export const messageCreated = defineEvent('chat-messages created', channelMessage);
export const messagePatched = defineEvent('chat-messages patched', channelMessage);
export const messageRemoved = defineEvent('chat-messages removed', messageIdentity);

export const messageReactionCreated = defineEvent('message-reactions created', reaction);
export const messageReactionRemoved = defineEvent('message-reactions removed', reaction);

export const messageChannelCreated = defineEvent('message-channels created', messageChannel);
export const messageChannelPatched = defineEvent('message-channels patched', messageChannel);

/** Sent to the player only: there are no read receipts. */
export const readMarkerPatched = defineEvent('read-markers patched', readMarker);

/** A player who is typing in a message channel. */
const typingRecord = z.object({ channelId: id, wallet: normalizedAddress }).meta({ id: 'Typing' });

/** A signal: neither stored nor numbered. */
export const messageTyping = defineEvent('chat-messages typing', typingRecord);
