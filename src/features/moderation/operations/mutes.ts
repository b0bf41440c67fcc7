import { z } from 'zod';
import { everyRole, moderators } from '../../../core/schemas/admin-role.ts';
import { addressInput, idInput, success, timestamp } from '../../../core/schemas/fields.ts';
import { pagedOutput, pageOf, paging } from '../../../core/schemas/paging.ts';
import { notSeen, seenByOthers } from '../../../core/schemas/seen-text.ts';
import type { Store } from '../../../core/storage/store.ts';
import { requireGame } from '../../games/require-game.ts';
import { muteReason, muter, muteSeconds } from '../../messages/mutes/mute.ts';
import { defineAdminOperation, defineOperation, ownerOf } from '../../operation.ts';
import { mute, muteInChannel } from '../commands.ts';
import { playerMute, readMutes } from '../queries.ts';

const muteOutput = z.object({
  success,
  until: timestamp.nullable().meta({ description: 'When the mute ends; null if this call ended it' }),
});

/** The muted player sees it. */
const reasonByPlayer = seenByOthers(muteReason, { as: 'text', mute: 'command' });

export const muteParticipant = defineOperation({
  name: 'muteParticipant',
  service: 'message-channels',
  kind: 'write',
  summary:
    'Mute a participant of a channel for a limited time, or end the mute (requires the permission super-admin)',
  auth: 'player',
  input: z.object({ channelId: idInput, wallet: addressInput, seconds: muteSeconds, reason: reasonByPlayer }),
  output: muteOutput,
  async handler({ input, caller }, { db }: { db: Store }) {
    const { channelId, wallet } = input;
    const until = await db.write(muteInChannel, ownerOf(caller), channelId, wallet, input);
    return { success: true, until };
  },
});

export const muteInGame = defineOperation({
  name: 'muteInGame',
  service: 'launcher',
  kind: 'write',
  summary:
    "Mute a player in the game or in one of its channels for a limited time, or end the mute (requires the game's secret)",
  auth: 'game-secret',
  input: z.object({
    wallet: addressInput,
    channelId: idInput.optional().meta({ description: 'Default: the whole game' }),
    seconds: muteSeconds,
    reason: muteReason,
  }),
  output: muteOutput,
  async handler({ input, caller: { game } }, { db }: { db: Store }) {
    const player = { gameId: game.id, wallet: input.wallet };
    return { success: true, until: await db.write(mute, player, input.channelId ?? null, 'server', input) };
  },
});

export const mutePlayer = defineAdminOperation({
  name: 'mutePlayer',
  kind: 'write',
  summary: 'Mute a player in a game or in one of its channels for a limited time, or end the mute',
  roles: moderators,
  input: z.object({
    wallet: addressInput,
    gameId: idInput,
    channelId: idInput.optional().meta({ description: 'Default: the whole game' }),
    seconds: muteSeconds,
    reason: muteReason,
  }),
  output: muteOutput,
  async handler({ input }, { db }: { db: Store }) {
    await requireGame(db, input.gameId);
    return { success: true, until: await db.write(mute, input, input.channelId ?? null, 'moderator', input) };
  },
});

export const unmutePlayer = defineAdminOperation({
  name: 'unmutePlayer',
  kind: 'write',
  summary:
    "End a player's mute in a game or in one of its channels, including one that a game server or a participant set",
  roles: moderators,
  input: z.object({
    wallet: addressInput,
    gameId: idInput,
    channelId: idInput.optional().meta({ description: 'Default: the mute in the whole game' }),
    mutedBy: notSeen(muter, 'choice')
      .default('moderator')
      .meta({ description: 'Whose mute it is, as in `listMutes`' }),
  }),
  output: z.object({ success }),
  async handler({ input }, { db }: { db: Store }) {
    const { gameId, channelId = null, mutedBy } = input;
    await requireGame(db, gameId);
    await db.write(mute, input, channelId, mutedBy, { seconds: 0, reason: '' });
    return { success: true };
  },
});

export const listMutes = defineAdminOperation({
  name: 'listMutes',
  kind: 'read',
  summary: 'List active mutes by end time, latest first',
  roles: everyRole,
  input: z.object({ ...paging, gameId: idInput.optional(), wallet: addressInput.optional() }),
  output: pagedOutput(playerMute),
  async handler({ input }, { db }: { db: Store }) {
    return pageOf(input, await db.read(readMutes, input, input));
  },
});
