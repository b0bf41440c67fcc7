import type { Owner } from '../../src/core/schemas/owner.ts';
import type { Database } from '../../src/core/storage/database.ts';
import { registerGame } from '../../src/features/games/commands.ts';
import { startSession } from '../../src/features/sessions/commands.ts';

/** A new game with players who have a session each; their wallets are the same in every database. */
export async function newPlayers(
  db: Pick<Database, 'write'>,
  count: number,
): Promise<{ gameId: string; players: Owner[] }> {
  const { id: gameId } = await db.write(
    registerGame,
    { name: 'Bench' },
    { hash: 'h', sealedMd5: '', sealedSecret: '' },
  );
  const players = Array.from({ length: count }, (_, n) => ({
    gameId,
    wallet: `0x${n.toString(16).padStart(40, '0')}`,
  }));
  await Promise.all(players.map((player) => db.write(startSession, player, 1e9)));
  return { gameId, players };
}
