import { z } from 'zod';
import { GantryError } from '../../../core/errors.ts';
import { success } from '../../../core/schemas/fields.ts';
import { openedByPlayer, requireOpenedBy } from '../../../core/schemas/opened-by.ts';
import { pagedOutput, pageOf, pagingOf } from '../../../core/schemas/paging.ts';
import type { Store } from '../../../core/storage/store.ts';
import type { Game } from '../../games/game.ts';
import { gameInput, requireNamedGame } from '../../games/require-game.ts';
import { defineOperation } from '../../operation.ts';
import { rowsCost } from '../../operation-cost.ts';
import { mutedGame } from '../muted-game.ts';
import { setGameMuted } from '../muted-game-commands.ts';
import { mutedGamesOf } from '../queries.ts';

export const setMutedGame = defineOperation({
  name: 'setMutedGame',
  service: 'launcher',
  kind: 'write',
  isRepeatable: true,
  summary: "Turn a game's notifications off or on in the player's launchers",
  auth: 'player',
  input: z.object({
    gameId: gameInput,
    muted: z.boolean().meta({
      description:
        'Whether launchers leave out the notifications of the game; the game itself still gets them',
    }),
  }),
  output: z.object({ success }),
  async handler({ input, caller: { game, wallet, session } }, { db }: { db: Store }) {
    requireLauncher(game);
    // A launcher's server could mute the games of players who have never opened the launcher.
    requireOpenedBy(session, openedByPlayer, 'call it with a session that the player has opened');
    const { id: gameId } = await requireNamedGame(db, input.gameId);
    await db.write(setGameMuted, { gameId, wallet }, input.muted);
    return { success: true };
  },
});

export const listMutedGames = defineOperation({
  name: 'listMutedGames',
  service: 'launcher',
  kind: 'read',
  summary: 'List the games whose notifications the player has turned off, latest first',
  auth: 'player',
  input: z.object(pagingOf()),
  cost: rowsCost(50),
  output: pagedOutput(mutedGame),
  async handler({ input, caller: { game, wallet } }, { db }: { db: Store }) {
    requireLauncher(game);
    return pageOf(input, await db.read(mutedGamesOf, wallet, input));
  },
});

/** A game could otherwise turn its own notifications on again. @throws GantryError `not_a_launcher` */
function requireLauncher({ kind }: Game): void {
  if (kind === 'launcher') return;
  throw new GantryError(
    'not_a_launcher',
    "Only a launcher's session reads and changes which games the player has muted",
  );
}
