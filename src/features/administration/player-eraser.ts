import { type Store, writeAll } from '../../core/storage/store.ts';
import { type AnyTable, columnOf } from '../../core/storage/table.ts';
import { removeFriendsOf } from '../friends/commands.ts';
import { removeBlocksOn } from '../messages/blocks/commands.ts';
import { clearAdder, leaveAllChannels } from '../messages/channel-commands.ts';
import { eraseMessagesOf } from '../messages/message-commands.ts';
import { eraseReactionsOf } from '../messages/reaction-commands.ts';
import { messageReactions, messages, participants } from '../messages/tables.ts';
import { removeReportsAbout } from '../moderation/reports/commands.ts';
import { bans, guests, players } from '../players/tables.ts';
import { actions } from '../queue/tables.ts';
import { sessions } from '../sessions/tables.ts';
import { hideStatesOf } from '../states/commands.ts';
import { returningCounted } from '../storage-quota/game-storage.ts';
import {
  beginErasing,
  blankTexts,
  eraseAtOnce,
  eraseLinks,
  eraseRows,
  eraseScores,
  finishErasing,
  linkTables,
} from './erasing-commands.ts';
import {
  addressesOf,
  anonymizeEvents,
  blankOwnEvents,
  eraseChannelInfo,
  eraseOwnEvents,
  namedChannelsOf,
  ownStreamsOf,
  type Pass,
  sharedStreamsOf,
} from './erasing-event-commands.ts';
import { whileErasing } from './erasing-store.ts';
import { erasures } from './tables.ts';

/** Erased at the end of a pass: until then, an interrupted erasure can be repeated. */
const erasedLast: readonly AnyTable[] = [players, sessions, bans, guests, erasures] as readonly AnyTable[];

/** Tables with rows that others refer to or count: they are erased with these, by steps of their own. */
const erasedSeparately: readonly AnyTable[] = [
  ...erasedLast,
  ...linkTables,
  participants,
  messages,
  messageReactions,
] as readonly AnyTable[];

/**
 * Removes a player's data from the database, in bounded commands so that other writes can interleave. Events of shared
 * streams keep their seq, so that other players' cursors stay valid, but no longer mention the player.
 *
 * Calls that were admitted before may still write: `sweepErased` erases that some seconds later, and until then the player
 * stays banned, so that nothing else of theirs is there. It also completes an erasure whose process was killed.
 * @param tables all tables; their declared ownership (`of`) determines what is erased
 * @throws GantryError `player_unknown`
 */
export async function erasePlayerData(db: Store, tables: readonly AnyTable[], wallet: string): Promise<void> {
  await db.write(beginErasing, wallet);
  await erase(db, tables, wallet, 'first');
}

/** Completes an erasure that began before: nothing that was admitted then can still write. */
export async function completeErasingPlayer(
  db: Store,
  tables: readonly AnyTable[],
  wallet: string,
): Promise<void> {
  await erase(db, tables, wallet, 'last');
}

async function erase(db: Store, tables: readonly AnyTable[], wallet: string, pass: Pass): Promise<void> {
  await whileErasing(db, { wallet }, (store) => runPass(store, tables, wallet, pass));
}

async function runPass(db: Store, tables: readonly AnyTable[], wallet: string, pass: Pass): Promise<void> {
  await writeAll(db, hideStatesOf, wallet); // others could read them partly erased
  // Overwritten before any other write can move the rows.
  const { queued = [], other = [] } = Object.groupBy(ownTextsIn(tables), ({ table }) =>
    table === actions.name ? 'queued' : 'other',
  );
  for (const text of queued) await db.write(eraseAtOnce, text, wallet);
  for (const text of other) await writeAll(db, blankTexts, [text], wallet);
  await writeAll(db, blankOwnEvents, wallet, pass);
  const shared = await db.read(sharedStreamsOf, wallet);
  // Before the other members are notified of who left.
  for (const id of await db.read(namedChannelsOf, wallet)) await db.write(eraseChannelInfo, id);
  await leaveChannels(db, wallet); // calls that were admitted before can send nothing more to these
  await writeAll(db, eraseMessagesOf, wallet);
  await writeAll(db, eraseReactionsOf, wallet);
  await writeAll(db, clearAdder, wallet);
  await writeAll(db, removeBlocksOn, wallet);
  await writeAll(db, removeFriendsOf, wallet);
  await writeAll(db, removeReportsAbout, wallet);
  for (const address of await db.read(addressesOf, wallet)) {
    for (const stream of shared) await writeAll(db, anonymizeEvents, stream, address);
  }
  for (const stream of await db.read(ownStreamsOf, wallet)) await writeAll(db, eraseScores, stream);
  await writeAll(db, eraseLinks, wallet);
  await writeAll(db, blankOwnEvents, wallet, pass); // events emitted by the steps above
  await writeAll(db, eraseOwnEvents, wallet, pass);
  const others = tables.filter((table) => !erasedSeparately.includes(table));
  // One table a transaction, so that other writes run in between.
  for (const rows of others.flatMap(ownRowsIn)) await writeAll(db, eraseRows, [rows], wallet);
  await db.write(finishErasing, wallet, pass);
}

/** Calls that were admitted before may have edited a channel until the player had left it. */
async function leaveChannels(db: Store, wallet: string): Promise<void> {
  for (let isLeft = false; !isLeft; ) {
    const { editable, more } = await db.write(leaveAllChannels, wallet);
    for (const id of editable) await db.write(eraseChannelInfo, id);
    isLeft = !more;
  }
}

function ownTextsIn(tables: readonly AnyTable[]) {
  return tables.flatMap((table) => {
    const { player, texts = [] } = table.of;
    return player === undefined
      ? []
      : texts.map((text) => {
          const { sqlName, kind } = columnOf(table, text);
          return { ...rowsOf(table, player), column: sqlName, isJson: kind === 'json' };
        });
  });
}

function ownRowsIn(table: AnyTable) {
  const { player } = table.of;
  return player === undefined ? [] : [rowsOf(table, player)];
}

function rowsOf(table: AnyTable, player: string) {
  return {
    table: table.name,
    owner: columnOf(table, player).sqlName,
    key: table.key.map((column) => columnOf(table, column).sqlName),
    returning: table.counted === null ? null : returningCounted(table),
  };
}
