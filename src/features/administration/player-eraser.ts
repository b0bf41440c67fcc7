import { setTimeout } from 'node:timers/promises';
import type { Command } from '../../core/storage/command.ts';
import type { Store } from '../../core/storage/store.ts';
import { type AnyTable, columnOf } from '../../core/storage/table.ts';
import { removeBlocksOn } from '../messages/blocks/commands.ts';
import { clearAdder, leaveAllChannels } from '../messages/channel-commands.ts';
import { eraseMessagesOf } from '../messages/message-commands.ts';
import { eraseReactionsOf } from '../messages/reaction-commands.ts';
import { removeReportsAbout } from '../moderation/reports/commands.ts';
import { bans, guests, players } from '../players/tables.ts';
import { actions } from '../queue/tables.ts';
import { sessions } from '../sessions/tables.ts';
import { hideStatesOf } from '../states/commands.ts';
import { returningCounted } from '../storage-quota/game-storage.ts';
import {
  anonymizeEvents,
  beginErasing,
  blankOwnEvents,
  blankTexts,
  eraseAtOnce,
  eraseChannelInfo,
  eraseOwnEvents,
  eraseRows,
  eraseScores,
  finishErasing,
  namedChannelsOf,
  ownStreamsOf,
  sharedStreamsOf,
} from './erasing-commands.ts';

/**
 * Delay between ending a player's sessions and erasing, in milliseconds: time for calls admitted before to complete,
 * and for every process to notify and disconnect the player's sockets.
 */
const settleMs = 2_000;

/** Erased last: as long as these rows exist, an interrupted erasure can be repeated. */
const erasedLast: readonly AnyTable[] = [players, sessions, bans, guests] as readonly AnyTable[];

/**
 * Removes all of a player's data from the database, in bounded commands so that other writes can interleave. Events of
 * shared streams keep their seq, so that other players' cursors stay valid, but no longer mention the player.
 */
export class PlayerEraser {
  readonly #db: Store;
  readonly #tables: readonly AnyTable[];

  /** `tables`: all tables; their declared ownership (`of`) determines what is erased. */
  constructor(db: Store, tables: readonly AnyTable[]) {
    this.#db = db;
    this.#tables = tables;
  }

  /** Resumable: after a failure, calling it again continues. @throws GantryError `player_unknown` */
  async erase(wallet: string): Promise<void> {
    await this.#db.write(beginErasing, wallet);
    await setTimeout(settleMs);
    await this.#all(hideStatesOf, wallet); // others could read them partly erased
    // Overwritten before any other write can move the rows.
    for (const text of this.#ownTexts()) {
      if (text.table === actions.name) await this.#db.write(eraseAtOnce, text, wallet);
      else await this.#all(blankTexts, text, wallet);
    }
    await this.#all(blankOwnEvents, wallet);
    const shared = await this.#db.read(sharedStreamsOf, wallet);
    await this.#all(eraseMessagesOf, wallet);
    await this.#all(eraseReactionsOf, wallet);
    // Before the other members are notified of who left.
    for (const id of await this.#db.read(namedChannelsOf, wallet)) await this.#db.write(eraseChannelInfo, id);
    await this.#all(leaveAllChannels, wallet);
    await this.#all(clearAdder, wallet);
    await this.#all(removeBlocksOn, wallet);
    await this.#all(removeReportsAbout, wallet);
    for (const stream of shared) await this.#all(anonymizeEvents, stream, wallet);
    for (const stream of await this.#db.read(ownStreamsOf, wallet)) await this.#all(eraseScores, stream);
    await this.#all(blankOwnEvents, wallet); // events emitted by the steps above
    await this.#all(eraseOwnEvents, wallet);
    for (const table of this.#tables) {
      const { player } = table.of;
      if (player === undefined || erasedLast.includes(table)) continue;
      await this.#all(eraseRows, rowsOf(table, player), wallet);
    }
    await this.#db.write(finishErasing, wallet);
  }

  #ownTexts() {
    return this.#tables.flatMap((table) => {
      const { player, texts = [] } = table.of;
      return player === undefined
        ? []
        : texts.map((text) => ({
            ...rowsOf(table, player),
            column: columnOf(table, text).sqlName,
          }));
    });
  }

  /** Repeats a command until it returns false. */
  async #all<Args extends unknown[]>(command: Command<Args, boolean>, ...args: Args): Promise<void> {
    while (await this.#db.write(command, ...args));
  }
}

function rowsOf(table: AnyTable, player: string) {
  return {
    table: table.name,
    owner: columnOf(table, player).sqlName,
    key: table.key.map((column) => columnOf(table, column).sqlName),
    returning: table.counted === null ? null : returningCounted(table),
  };
}
