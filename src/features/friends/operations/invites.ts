import { z } from 'zod';
import { GantryError, invalidField } from '../../../core/errors.ts';
import type { Signals } from '../../../core/events/signals.ts';
import { streamOf } from '../../../core/events/stream.ts';
import type { PublicUrls } from '../../../core/public-urls.ts';
import { addressInput, id, idInput, normalizedAddress, success } from '../../../core/schemas/fields.ts';
import type { Store } from '../../../core/storage/store.ts';
import type { Game } from '../../games/game.ts';
import {
  gameInput,
  isNamed,
  refuseArchived,
  requireGame,
  requireNamedGame,
} from '../../games/require-game.ts';
import { defineOperation } from '../../operation.ts';
import { joinRequested } from '../events.ts';
import { friendsScope, requireInScope } from '../friends-scope.ts';
import { connectText, invite, inviteMessage, toInvite } from '../invite.ts';
import { answerInvite, cancelInvite as cancel, sendInvites } from '../invite-commands.ts';
import { openInvites } from '../queries.ts';

export const sendInvite = defineOperation({
  name: 'sendInvite',
  service: 'launcher',
  kind: 'write',
  summary: 'Invite friends to a game for ten minutes; an earlier invite of the same friend to it is replaced',
  auth: 'player',
  input: z.object({
    wallets: z.array(addressInput).min(1).max(20).meta({ description: 'At most 20 friends' }),
    gameId: gameInput
      .optional()
      .meta({ description: "Id or slug; default: the token's game; required from launchers" }),
    connect: connectText.default('').meta({
      description:
        'What the game needs to join this player, in its own format; given to the friend who accepts',
    }),
    message: inviteMessage.default(''),
  }),
  cost: { text: 'one write for every 5 `wallets`', of: ({ wallets }) => wallets.length / 5 },
  output: z.object({
    success,
    invites: z.array(invite),
    refused: z.array(
      z.object({ wallet: normalizedAddress, reason: z.enum(['not_a_friend', 'invites_not_accepted']) }),
    ),
  }),
  async handler({ input: { wallets, gameId, connect, message }, caller }, { db }: { db: Store }) {
    const game = await invitedTo(db, caller.game, gameId);
    for (const wallet of wallets) await requireInScope(db, caller, wallet);
    const others = [...new Set(wallets)].filter((wallet) => wallet !== caller.wallet);
    const sent = await db.write(sendInvites, caller.wallet, others, { gameId: game.id, connect, message });
    return { success: true, ...sent };
  },
});

/** @throws GantryError `game_unknown`, `game_archived`, `not_a_launcher`, `input_invalid` */
async function invitedTo(db: Store, own: Game, gameId: string | undefined): Promise<Game> {
  const isOwn = gameId === undefined || isNamed(own, gameId);
  if (own.kind !== 'launcher') {
    if (isOwn) return own;
    throw new GantryError('not_a_launcher', "Only a launcher's session can invite to other games");
  }
  if (isOwn) throw invalidField('gameId', 'must be the game to invite to: a launcher is none');
  const game = await requireNamedGame(db, gameId);
  refuseArchived(game);
  return game;
}

export const respondToInvite = defineOperation({
  name: 'respondToInvite',
  service: 'launcher',
  kind: 'write',
  summary: 'Accept or decline an invite; accepting returns the game to open and what it needs to join',
  auth: 'player',
  input: z.object({ inviteId: idInput, accept: z.boolean() }),
  output: z.object({
    success,
    launch: z
      .exactOptional(z.object({ gameId: id, url: z.string() }))
      .meta({ description: 'The game to open, unless it is open; only when accepted' }),
    connect: z.exactOptional(z.string()).meta({ description: 'For the game; only when accepted' }),
  }),
  async handler(
    { input: { inviteId, accept }, caller },
    { db, publicUrls, signals }: { db: Store; publicUrls: PublicUrls; signals: Signals },
  ) {
    const { wallet } = caller;
    const party = { wallet, gameId: await friendsScope(db, caller) };
    const row = await db.write(answerInvite, party, inviteId, accept);
    if (!accept) return { success: true };
    const { gameId, sender: from, connect } = row;
    const { url } = await requireGame(db, gameId);
    // A game that runs already, in a launcher or by itself.
    signals.send(`join ${inviteId}`, {
      name: joinRequested.name,
      record: { inviteId, gameId, from, normalizedAddress: wallet, connect },
      stream: streamOf.player(gameId, wallet),
      audience: { kind: 'players', gameId, wallets: [wallet] },
    });
    return { success: true, launch: { gameId, url: publicUrls.absolute(url) }, connect };
  },
});

export const cancelInvite = defineOperation({
  name: 'cancelInvite',
  service: 'launcher',
  kind: 'write',
  summary: 'Cancel an invite that the player has sent',
  auth: 'player',
  input: z.object({ inviteId: idInput }),
  output: z.object({ success }),
  async handler({ input, caller }, { db }: { db: Store }) {
    const party = { wallet: caller.wallet, gameId: await friendsScope(db, caller) };
    await db.write(cancel, party, input.inviteId);
    return { success: true };
  },
});

export const listInvites = defineOperation({
  name: 'listInvites',
  service: 'launcher',
  kind: 'read',
  summary: 'List the open invites that the player has received and sent, newest first',
  auth: 'player',
  input: z.object({}),
  output: z.object({ success, received: z.array(invite), sent: z.array(invite) }),
  async handler({ caller }, { db }: { db: Store }) {
    const { wallet } = caller;
    const scope = await friendsScope(db, caller);
    const rows = await db.read(openInvites, wallet);
    const shown = rows.filter(({ gameId }) => scope === null || gameId === scope);
    return {
      success: true,
      received: shown.filter((row) => row.wallet === wallet).map(toInvite),
      sent: shown.filter((row) => row.sender === wallet).map(toInvite),
    };
  },
});
