import { setTimeout } from 'node:timers/promises';
import { type Store, writeAll } from '../../core/storage/store.ts';
import type { AnyTable } from '../../core/storage/table.ts';
import { gameErasures, games } from '../games/tables.ts';
import { messageChannels } from '../messages/tables.ts';
import type { EndReason } from '../sessions/channel-session.ts';
import { endSessionsOf } from '../sessions/commands.ts';
import { eraseScores } from './erasing-commands.ts';
import { whileErasing } from './erasing-store.ts';
import { settleMs } from './erasure-schedule.ts';
import {
  beginErasingGame,
  eraseGameChannels,
  eraseGameEvents,
  eraseGameRows,
  erasePlayerStreams,
  finishErasingGame,
  gameRowsOf,
  playerStreamsAfter,
  playersInGame,
} from './game-erasing-commands.ts';

/** Erased last, in separate steps. */
const erasedLast: readonly AnyTable[] = [games, gameErasures, messageChannels] as readonly AnyTable[];

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
 * so that no new data arrives; players keep their profiles and their data in other games. `sweepErased` completes a
 * deletion that failed or whose process was killed.
 * @param tables all tables, referenced ones before those that refer to them
 * @param waitMs how long admitted calls may take to complete; 0 where there are none
 * @throws GantryError `game_unknown`
 */
export async function eraseGameData(
  db: Store,
  tables: readonly AnyTable[],
  gameId: string,
  waitMs = settleMs,
): Promise<void> {
  await db.write(beginErasingGame, gameId);
  await endSessionsInGame(db, gameId, 'game_deleted');
  await setTimeout(waitMs);
  await completeErasingGame(db, tables, gameId);
}

/** Completes a deletion that began before: nothing that was admitted then can still write. */
export async function completeErasingGame(
  db: Store,
  tables: readonly AnyTable[],
  gameId: string,
): Promise<void> {
  await endSessionsInGame(db, gameId, 'game_deleted'); // also those opened by calls admitted before
  await whileErasing(db, { gameId }, async (store) => {
    await writeAll(store, eraseGameEvents, gameId);
    await eraseScoresIn(store, gameId);
    for (const table of tables.toReversed()) {
      const rows = erasedLast.includes(table) ? null : gameRowsOf(table);
      if (rows) await writeAll(store, eraseGameRows, rows, gameId);
    }
    await writeAll(store, eraseGameChannels, gameId);
    await writeAll(store, erasePlayerStreams, gameId);
    await store.write(finishErasingGame, gameId);
  });
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
