import { setTimeout } from 'node:timers/promises';
import { type Store, writeAll } from '../../core/storage/store.ts';
import { type AnyTable, columnOf } from '../../core/storage/table.ts';
import { removeFriendsOf } from '../friends/commands.ts';
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
 * and for every process to notify and disconnect the player's sockets. A player without a session waits as well: games'
 * servers write for players who have none, through any process, and commands do not check bans again.
 */
const settleMs = 2_000;

/** Erased last: as long as these rows exist, an interrupted erasure can be repeated. */
const erasedLast: readonly AnyTable[] = [players, sessions, bans, guests] as readonly AnyTable[];

/**
 * Removes all of a player's data from the database, in bounded commands so that other writes can interleave. Events of
 * shared streams keep their seq, so that other players' cursors stay valid, but no longer mention the player.
 *
 * Resumable: after a failure, calling it again continues.
 * @param tables all tables; their declared ownership (`of`) determines what is erased
 * @throws GantryError `player_unknown`
 */
export async function erasePlayerData(db: Store, tables: readonly AnyTable[], wallet: string): Promise<void> {
  await db.write(beginErasing, wallet);
  await setTimeout(settleMs);
  await writeAll(db, hideStatesOf, wallet); // others could read them partly erased
  // Overwritten before any other write can move the rows.
  for (const text of ownTextsIn(tables)) {
    if (text.table === actions.name) await db.write(eraseAtOnce, text, wallet);
    else await writeAll(db, blankTexts, text, wallet);
  }
  await writeAll(db, blankOwnEvents, wallet);
  const shared = await db.read(sharedStreamsOf, wallet);
  await writeAll(db, eraseMessagesOf, wallet);
  await writeAll(db, eraseReactionsOf, wallet);
  // Before the other members are notified of who left.
  for (const id of await db.read(namedChannelsOf, wallet)) await db.write(eraseChannelInfo, id);
  await writeAll(db, leaveAllChannels, wallet);
  await writeAll(db, clearAdder, wallet);
  await writeAll(db, removeBlocksOn, wallet);
  await writeAll(db, removeFriendsOf, wallet);
  await writeAll(db, removeReportsAbout, wallet);
  for (const stream of shared) await writeAll(db, anonymizeEvents, stream, wallet);
  for (const stream of await db.read(ownStreamsOf, wallet)) await writeAll(db, eraseScores, stream);
  await writeAll(db, blankOwnEvents, wallet); // events emitted by the steps above
  await writeAll(db, eraseOwnEvents, wallet);
  for (const table of tables) {
    const { player } = table.of;
    if (player === undefined || erasedLast.includes(table)) continue;
    await writeAll(db, eraseRows, rowsOf(table, player), wallet);
  }
  await db.write(finishErasing, wallet);
}

function ownTextsIn(tables: readonly AnyTable[]) {
  return tables.flatMap((table) => {
    const { player, texts = [] } = table.of;
    return player === undefined
      ? []
      : texts.map((text) => ({
          ...rowsOf(table, player),
          column: columnOf(table, text).sqlName,
        }));
  });
}

function rowsOf(table: AnyTable, player: string) {
  return {
    table: table.name,
    owner: columnOf(table, player).sqlName,
    key: table.key.map((column) => columnOf(table, column).sqlName),
    returning: table.counted === null ? null : returningCounted(table),
  };
}
