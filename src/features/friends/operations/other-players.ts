import { z } from 'zod';
import type { PublicUrls } from '../../../core/public-urls.ts';
import { addressInput, success, text } from '../../../core/schemas/fields.ts';
import { notSeen } from '../../../core/schemas/seen-text.ts';
import type { Store } from '../../../core/storage/store.ts';
import type { Game } from '../../games/game.ts';
import { defineOperation } from '../../operation.ts';
import { fixedCost } from '../../operation-cost.ts';
import { otherPlayer, toOtherPlayer } from '../friend.ts';
import { playerSearchLimit } from '../limits.ts';
import { minQuery, searchByName, visiblePlayers } from '../queries.ts';

const output = z.object({ success, players: z.array(otherPlayer) });

export const getPlayers = defineOperation({
  name: 'getPlayers',
  service: 'launcher',
  kind: 'read',
  summary:
    'Get the names and avatars of up to 100 players by wallet: friends, players of the same games, and players who can be searched; others are omitted',
  auth: 'player',
  input: z.object({ wallets: z.array(addressInput).min(1).max(100) }),
  cost: { text: 'one read for every 20 `wallets`', of: ({ wallets }) => wallets.length / 20 },
  output,
  async handler(
    { input, caller: { game, wallet } },
    { db, publicUrls }: { db: Store; publicUrls: PublicUrls },
  ) {
    const players = await db.read(visiblePlayers, wallet, playersScope(game), [...new Set(input.wallets)]);
    return { success: true, players: players.map((player) => toOtherPlayer(player, publicUrls)) };
  },
});

export const searchPlayers = defineOperation({
  name: 'searchPlayers',
  service: 'launcher',
  kind: 'read',
  summary: 'Search players by the beginning of the name that they have chosen',
  auth: 'player',
  perPlayer: playerSearchLimit,
  input: z.object({
    query: notSeen(text(minQuery, 40), 'own').meta({
      description: 'The beginning of the name, whatever the case and accents; 3 to 40 characters',
    }),
    limit: z.int().min(1).max(20).default(20),
  }),
  cost: fixedCost('read', 5),
  output,
  async handler(
    { input: { query, limit }, caller: { game, wallet } },
    { db, publicUrls }: { db: Store; publicUrls: PublicUrls },
  ) {
    const players = await db.read(searchByName, { text: query, wallet, gameId: playersScope(game), limit });
    return { success: true, players: players.map((player) => toOtherPlayer(player, publicUrls)) };
  },
});

/** The game whose players alone are found; null: those of every game. */
function playersScope({ id, kind, policies }: Game): string | null {
  return kind === 'launcher' || policies.friends === 'all' ? null : id;
}
