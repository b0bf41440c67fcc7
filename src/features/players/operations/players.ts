import { z } from 'zod';
import { everyRole, moderators } from '../../../core/schemas/admin-role.ts';
import {
  addressInput,
  id,
  idInput,
  normalizedAddress,
  success,
  text,
  timestamp,
} from '../../../core/schemas/fields.ts';
import { requireOpenedBy } from '../../../core/schemas/opened-by.ts';
import { pagedOutput, pageOf, paging } from '../../../core/schemas/paging.ts';
import { webUrl } from '../../../core/schemas/web-url.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineAdminOperation, defineOperation } from '../../operation.ts';
import { nameVouchedPlayer, setProfile } from '../commands.ts';
import { username } from '../player.ts';
import { findPlayers, findPlayersOf } from '../queries.ts';

export const listPlayers = defineAdminOperation({
  name: 'listPlayers',
  kind: 'read',
  summary: 'List or search players, newest first',
  roles: everyRole,
  input: z.object({
    ...paging,
    gameId: idInput.optional(),
    search: text(1, 100).optional().meta({
      description:
        'Part of the name (also of the one shown for a guest without a name), whatever the case and accents, the start of the wallet, or the shortened wallet (`0x1234…abcd`)',
    }),
    present: z
      .boolean()
      .optional()
      .meta({ description: 'true: only players who are online; false: only players who are offline' }),
    banned: z
      .boolean()
      .optional()
      .meta({ description: 'true: only players with a ban; false: only players without one' }),
  }),
  output: pagedOutput(
    z.object({
      wallet: z.string(),
      userId: z.string(),
      username: z.string(),
      avatar: z.string(),
      createdAt: timestamp,
      bannedFrom: z.array(z.string()).meta({ description: "Game ids; '' means every game" }),
      lastOpenedAt: timestamp.nullable().meta({
        description:
          'When the player last opened a session, in any game; null: never, or longer ago than sessions are kept',
      }),
      present: z.boolean().meta({ description: 'Online now, in any game' }),
    }),
  ),
  async handler({ input }, { db }: { db: Store }) {
    return pageOf(input, await db.read(findPlayers, input, input));
  },
});

export const getPlayerNames = defineAdminOperation({
  name: 'getPlayerNames',
  kind: 'read',
  summary: 'Get the names and avatars of up to 250 players by wallet; unknown wallets are omitted',
  roles: everyRole,
  input: z.object({ wallets: z.array(addressInput).min(1).max(250) }),
  output: z.object({
    success,
    players: z.array(
      z.object({
        wallet: z.string(),
        username: z.string().meta({ description: 'Empty if the player has not set one' }),
        avatar: z.string(),
      }),
    ),
  }),
  async handler({ input }, { db }: { db: Store }) {
    return { success: true, players: [...(await db.read(findPlayersOf, input.wallets))] };
  },
});

export const updatePlayer = defineAdminOperation({
  name: 'updatePlayer',
  kind: 'write',
  summary: "Update a player's name or avatar; an empty value removes it",
  roles: moderators,
  input: z.object({
    wallet: addressInput,
    username: username.optional(),
    avatar: z.union([webUrl, z.literal('')]).optional(),
  }),
  output: z.object({
    success,
    wallet: z.string(),
    userId: z.string(),
    username: z.string(),
    avatar: z.string(),
  }),
  async handler({ input }, { db }: { db: Store }) {
    return { success: true, ...(await db.write(setProfile, input.wallet, input)) };
  },
});

export const updatePlayerProfile = defineOperation({
  name: 'updatePlayerProfile',
  service: 'launcher',
  kind: 'write',
  summary: "Set the name of a guest that the game's server vouches for; requires the game's secret",
  auth: 'game-secret',
  input: z.object({
    wallet: addressInput,
    username: username.meta({ description: 'At most 40 characters; empty removes the name' }),
  }),
  output: z.object({ success, wallet: normalizedAddress, userId: id, username: z.string() }),
  async handler({ input, caller: { game } }, { db }: { db: Store }) {
    const { wallet, userId, username } = await db.write(
      nameVouchedPlayer,
      { gameId: game.id, wallet: input.wallet },
      input.username,
    );
    return { success: true, wallet, userId, username };
  },
});

export const setUsername = defineOperation({
  name: 'setUsername',
  service: 'launcher',
  kind: 'write',
  summary: "Set the player's name, shared by all games; requires a session that the player signed in to",
  auth: 'player',
  input: z.object({
    username: username.meta({ description: 'At most 40 characters; empty removes the name' }),
  }),
  output: z.object({ success, username: z.string() }),
  async handler({ input, caller }, { db }: { db: Store }) {
    // An administrator may set every name.
    const allowed = ['wallet', 'device', 'administrator'] as const;
    requireOpenedBy(caller.session, allowed, "sign in with the wallet, or with a guest's device");
    const { username } = await db.write(setProfile, caller.wallet, { username: input.username });
    return { success: true, username };
  },
});
