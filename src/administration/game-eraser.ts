import { setTimeout } from 'node:timers/promises';
import type { Command } from '../core/storage/command.ts';
import type { Database } from '../core/storage/database.ts';
import type { AnyTable } from '../core/storage/table.ts';
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

/** Calls that were admitted before the game was archived are over by then. In milliseconds. */
const settleMs = 2_000;

/** They go last, and in steps of their own. */
const last: readonly AnyTable[] = [games, messageChannels] as readonly AnyTable[];

/** Ends the live sessions of a game, whose launchers are told why. */
export async function endSessionsInGame(db: Database, gameId: string, reason: EndReason): Promise<void> {
  for (;;) {
    const wallets = await db.read(playersInGame, gameId);
    if (wallets.length === 0) return;
    await Promise.all(wallets.map((wallet) => db.write(endSessionsOf, wallet, gameId, reason)));
  }
}

/**
 * Removes a game with everything of it, by commands of a bounded size, between which others write. It is archived first, so
 * that nothing more comes in; players keep their profiles, and what they have in other games.
 */
export class GameEraser {
  readonly #db: Database;
  readonly #tables: readonly AnyTable[];

  /** `tables`: all there are, those that are referred to first. */
  constructor(db: Database, tables: readonly AnyTable[]) {
    this.#db = db;
    this.#tables = tables;
  }

  /** Whatever was removed before it failed stays so; asked for again, it goes on. @throws GantryError `game_unknown` */
  async erase(gameId: string): Promise<void> {
    const db = this.#db;
    await db.write(changeGame, gameId, { listing: 'archived' });
    await endSessionsInGame(db, gameId, 'game_deleted');
    await setTimeout(settleMs);
    await endSessionsInGame(db, gameId, 'game_deleted'); // of a call that was admitted before
    await this.#all(eraseGameEvents, gameId);
    await this.#eraseScores(gameId);
    for (const table of this.#tables.toReversed()) {
      const rows = last.includes(table) ? null : gameRowsOf(table);
      if (rows) await this.#all(eraseGameRows, rows, gameId);
    }
    await this.#all(eraseGameChannels, gameId);
    await this.#all(erasePlayerStreams, gameId);
    await db.write(finishErasingGame, gameId);
  }

  /** Each player's as when the player is erased, so that the leaderboard's counts stay right. */
  async #eraseScores(gameId: string): Promise<void> {
    let after = '';
    for (;;) {
      const streams = await this.#db.read(playerStreamsAfter, gameId, after);
      await Promise.all(streams.map((stream) => this.#all(eraseScores, stream)));
      const lastOne = streams.at(-1);
      if (lastOne === undefined) return;
      after = lastOne;
    }
  }

  /** Repeats a command until it says that there is no more. */
  async #all<Args extends unknown[]>(command: Command<Args, boolean>, ...args: Args): Promise<void> {
    while (await this.#db.write(command, ...args));
  }
}
