import { setTimeout } from 'node:timers/promises';
import { type Store, writeAll } from '../../core/storage/store.ts';
import type { AnyTable } from '../../core/storage/table.ts';
import { games } from '../games/tables.ts';
import { messageChannels } from '../messages/tables.ts';
import type { EndReason } from '../sessions/channel-session.ts';
import { endSessionsOf } from '../sessions/commands.ts';
import { changeGame } from './commands.ts';
import { eraseScores } from './erasing-commands.ts';
import {
  eraseGameChannels,
  eraseGameEvents,
  eraseGameRows,
  erasePlayerStreams,
  finishErasingGame,
  gameRowsOf,
  playerStreamsAfter,
  playersInGame,
} from './game-erasing-commands.ts';

/** Time for calls admitted before the game was archived to complete, in milliseconds. */
const defaultSettleMs = 2_000;

/** Erased last, in separate steps. */
const erasedLast: readonly AnyTable[] = [games, messageChannels] as readonly AnyTable[];

/** Ends the live sessions of a game; their launchers are notified of the reason. */
export async function endSessionsInGame(db: Store, gameId: string, reason: EndReason): Promise<void> {
  for (;;) {
    const wallets = await db.read(playersInGame, gameId);
    if (wallets.length === 0) return;
    await Promise.all(wallets.map((wallet) => db.write(endSessionsOf, wallet, gameId, reason)));
  }
}

/**
 * Removes a game and all its data, in bounded commands so that other writes can interleave. The game is archived first,
 * so that no new data arrives; players keep their profiles and their data in other games.
 *
 * Resumable: after a failure, calling it again continues.
 * @param tables all tables, referenced ones before those that refer to them
 * @param settleMs how long admitted calls may take to complete; 0 where there are none
 * @throws GantryError `game_unknown`
 */
export async function eraseGameData(
  db: Store,
  tables: readonly AnyTable[],
  gameId: string,
  settleMs = defaultSettleMs,
): Promise<void> {
  await db.write(changeGame, gameId, { listing: 'archived' });
  await endSessionsInGame(db, gameId, 'game_deleted');
  await setTimeout(settleMs);
  await endSessionsInGame(db, gameId, 'game_deleted'); // opened by calls admitted before
  await writeAll(db, eraseGameEvents, gameId);
  await eraseScoresIn(db, gameId);
  for (const table of tables.toReversed()) {
    const rows = erasedLast.includes(table) ? null : gameRowsOf(table);
    if (rows) await writeAll(db, eraseGameRows, rows, gameId);
  }
  await writeAll(db, eraseGameChannels, gameId);
  await writeAll(db, erasePlayerStreams, gameId);
  await db.write(finishErasingGame, gameId);
}

/** Per player, as when erasing a player, so that leaderboard counts stay correct. */
async function eraseScoresIn(db: Store, gameId: string): Promise<void> {
  let after = '';
  for (;;) {
    const streams = await db.read(playerStreamsAfter, gameId, after);
    await Promise.all(streams.map((stream) => writeAll(db, eraseScores, stream)));
    const last = streams.at(-1);
    if (last === undefined) return;
    after = last;
  }
}
