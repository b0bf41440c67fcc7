import { z } from 'zod';
import { GantryError } from '../../../core/errors.ts';
import { addressInput } from '../../../core/schemas/address.ts';
import { withReason } from '../../../core/schemas/field-reason.ts';
import type { Owner } from '../../../core/schemas/owner.ts';
import type { Store } from '../../../core/storage/store.ts';
import type { Cost } from '../../cost.ts';
import { defineOperation } from '../../operation.ts';
import { defineOtherForm } from '../../other-form.ts';
import { ownerOf } from '../../owner.ts';
import { createChannel } from '../channel-commands.ts';
import {
  type MessageChannel,
  maxParticipants,
  messageChannel,
  type NewChannelInfo,
  newChannelName,
} from '../message-channel.ts';
import { newParticipant } from '../new-participant.ts';

const maxOthers = maxParticipants - 1;

const otherParticipants = withReason(
  someOf(addressInput).refine(areDistinct, 'names a wallet twice'),
  'participants_invalid',
);

/** Participants with their permissions. */
const participants = withReason(
  someOf(newParticipant).refine(
    (others) => areDistinct(others.map(({ wallet }) => wallet)),
    'names a wallet twice',
  ),
  'participants_invalid',
);

function someOf<One extends z.ZodType>(one: One) {
  return z
    .array(one)
    .min(1, 'must name at least one other participant')
    .max(maxOthers, `must name at most ${maxOthers} other participants`);
}

const channelCost: Cost<{ otherParticipants: readonly unknown[] }> = {
  text: 'one write for every 5 participants',
  of: ({ otherParticipants: others }) => (others.length + 1) / 5,
};

function areDistinct(wallets: readonly string[]): boolean {
  return new Set(wallets).size === wallets.length;
}

export const createMessageChannel = defineOperation({
  name: 'createMessageChannel',
  service: 'launcher',
  kind: 'write',
  summary: 'Start a message channel with other players; the same participants get the same channel',
  auth: 'player',
  alsoOn: [{ service: 'message-channels', name: 'createNewGroupChat' }],
  input: z.object({
    otherParticipants,
    channelName: newChannelName
      .optional()
      .meta({ description: 'The name of a new channel; an existing one keeps its own' }),
  }),
  otherForm: defineOtherForm({
    auth: 'player',
    isUsed: ({ otherParticipants: others }) => Array.isArray(others) && others.some(isObject),
    input: z.object({ name: newChannelName.nullish(), otherParticipants: participants }),
    output: messageChannel,
    cost: channelCost,
    handler({ input: { name, otherParticipants: others }, caller }, { db }: { db: Store }) {
      const permissions = Object.fromEntries(others.map((one) => [one.wallet, one.permissions]));
      const wallets = others.map(({ wallet }) => wallet);
      return create(db, ownerOf(caller), wallets, { name: name ?? undefined, permissions });
    },
  }),
  cost: channelCost,
  output: messageChannel,
  handler({ input, caller }, { db }: { db: Store }) {
    return create(db, ownerOf(caller), input.otherParticipants, { name: input.channelName });
  },
});

async function create(
  db: Store,
  owner: Owner,
  others: readonly string[],
  info: NewChannelInfo,
): Promise<MessageChannel> {
  if (others.includes(owner.wallet)) {
    const field = { path: 'otherParticipants', message: 'must not name yourself' };
    throw new GantryError('participants_invalid', `${field.path}: ${field.message}`, { fields: [field] });
  }
  return db.write(createChannel, owner, others, info);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
