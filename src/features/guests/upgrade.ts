import { GantryError } from '../../core/errors.ts';
import {
  deleteEventsOfPlayer,
  deleteStreamsOfPlayer,
  renameEvents,
  renameStreams,
  rewriteEvents,
  rewriteOwnEvents,
  streamsOfPlayer,
  updateStreamReferences,
} from '../../core/events/renaming.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import { type Command, type ExclusiveTx, exclusiveCommand, type Steps } from '../../core/storage/command.ts';
import { type Statement, statement } from '../../core/storage/query.ts';
import type { AnyTable } from '../../core/storage/table.ts';
import { sharedStreams } from '../administration/erasing-event-commands.ts';
import { announceUpgrade } from '../friends/commands.ts';
import { renameInChannels } from '../messages/channel-commands.ts';
import { requireGuest } from '../players/guests.ts';
import { playerBanned } from '../players/player-banned.ts';
import { bans, guests, players } from '../players/tables.ts';
import { type BoardRow, board } from '../scores/tables.ts';
import type { SessionDetails } from '../sessions/channel-session.ts';
import { endSessionsOf, startSession } from '../sessions/commands.ts';
import { lockOpenSignIn } from '../sessions/sign-in-commands.ts';
import { signIns } from '../sessions/tables.ts';
import { neverSwept } from './idle-guests.ts';
import { playerColumnsOf, sqlName } from './player-columns.ts';

type Renaming = { from: string; to: string };

/** Transfers a guest's data to a sign-in's wallet, and opens a session for the wallet. */
export type UpgradeGuest = Command<
  [guest: Owner, signInId: string, lifetimeMs: number, checkedAccess?: string | null],
  SessionDetails
>;

/**
 * Upgrades a guest to a wallet whose signature was verified: every row that names the guest is changed to name the
 * wallet, in one transaction, so that no partial state is ever visible. The guest's sessions end, and its devices can
 * no longer sign in: from then on only the wallet is the player. Rejects before it changes anything. `tables`: all
 * tables.
 * @throws GantryError `sign_in_unknown`, `sign_in_expired`, `sign_in_used`, `guest_upgraded`, `player_unknown`,
 *   `player_banned`, and `wallet_taken` when the wallet is a player already
 */
export function upgradeGuestOf(tables: readonly AnyTable[]): UpgradeGuest {
  const statements = renamingStatements(tables);
  return exclusiveCommand(
    'upgradeGuest',
    function* (
      tx,
      { gameId, wallet: guest }: Owner,
      signInId: string,
      lifetimeMs: number,
      checkedAccess: string | null = null,
    ): Steps<SessionDetails> {
      yield* requireGuest(tx, guest);
      const signIn = yield* lockOpenSignIn(tx, signInId, guest);
      const { wallet } = signIn;
      yield* refuseBanned(tx, gameId, guest);
      yield* createPlayer(tx, wallet);
      tx.put(signIns, { ...signIn, usedAt: tx.now });
      yield* endSessionsOf(tx, guest, null, 'upgraded');
      const renaming = { from: guest, to: wallet };
      const boardRows = yield* removeFromBoards(tx, guest);
      for (const renamingStatement of statements) yield* tx.run(renamingStatement, renaming);
      yield* renameOwnStreams(tx, renaming);
      for (const row of boardRows) {
        const stream = row.stream.replace(guest, wallet);
        yield* tx.lock(board, stream);
        tx.insert(board, { ...row, stream });
      }
      yield* renameProfile(tx, renaming);
      yield* renameInChannels(tx, wallet);
      for (const { name } of yield* tx.rows(sharedStreams, { wallet })) {
        yield* tx.run(rewriteEvents, { ...renaming, stream: name });
      }
      yield* announceUpgrade(tx, guest, wallet);
      return yield* startSession(tx, { gameId, wallet }, lifetimeMs, 'wallet', checkedAccess);
    },
  );
}

/** @throws GantryError `player_banned` */
function* refuseBanned(tx: ExclusiveTx, gameId: string, wallet: string): Steps<void> {
  const [here, everywhere] = yield* tx.all(tx.get(bans, wallet, gameId), tx.get(bans, wallet, ''));
  if (here || everywhere) throw playerBanned(wallet, everywhere !== undefined);
}

/**
 * Creates the wallet's player. Rows about a wallet that was no player yet (messages of channels it was added to) are
 * kept.
 * @throws GantryError `wallet_taken`
 */
function* createPlayer(tx: ExclusiveTx, wallet: string): Steps<void> {
  const userId = tx.newId();
  const player = {
    wallet,
    userId,
    username: '',
    searchName: '',
    avatar: '',
    createdAt: tx.now,
    createdBy: null,
  };
  if ((yield* tx.lock(players, wallet, player)).userId === userId) return;
  throw new GantryError(
    'wallet_taken',
    'This wallet already belongs to a player, and players cannot be merged: use another wallet, or sign in with this one',
  );
}

/** Removes the player's rows from the default leaderboards, for the ranks to be updated, and returns them. */
function* removeFromBoards(tx: ExclusiveTx, wallet: string): Steps<BoardRow[]> {
  const streams = yield* tx.rows(streamsOfPlayer, { wallet });
  const rows = yield* tx.all(...streams.map(({ name }) => tx.lock(board, name)));
  const boardRows = rows.filter((row) => row !== undefined);
  for (const row of boardRows) tx.remove(board, row);
  return boardRows;
}

function* renameOwnStreams(tx: ExclusiveTx, { from, to }: Renaming): Steps<void> {
  // A wallet that was no player has never received its events.
  yield* tx.run(deleteEventsOfPlayer, { wallet: to });
  yield* tx.run(deleteStreamsOfPlayer, { wallet: to });
  yield* tx.run(rewriteOwnEvents, { from, to, wallet: from });
  yield* tx.run(renameEvents, { from, to });
  yield* tx.run(renameStreams, { from, to });
}

/** Transfers the guest's user id, name and creation time to the wallet. */
function* renameProfile(tx: ExclusiveTx, { from, to }: Renaming): Steps<void> {
  const [profile, created, guest] = yield* tx.all(
    tx.lock(players, from),
    tx.lock(players, to),
    tx.lock(guests, from),
  );
  if (!profile || !created || !guest) throw new Error(`the guest ${from} has no player`);
  tx.remove(players, profile);
  tx.put(players, { ...profile, wallet: to });
  tx.put(guests, { ...guest, upgradedAt: tx.now, sweepAt: neverSwept });
}

/** Tables whose rows are renamed separately, not by a generic statement. */
const renamedSeparately: readonly AnyTable[] = [players, board] as readonly AnyTable[];

function renamingStatements(tables: readonly AnyTable[]): Statement<Renaming>[] {
  const ofPlayers = playerColumnsOf(tables.filter((table) => !renamedSeparately.includes(table)));
  return [
    ...ofPlayers.flatMap(({ table, column, where }) => {
      const key = table.key.map((name) => sqlName(table, name));
      const set = statement<Renaming>(`UPDATE ${table.name} SET ${column} = @to WHERE ${where('@from')}`);
      if (!key.includes(column)) return [set];
      // When both have a row, such as a membership in the same channel, the guest's is kept.
      const others = key.filter((name) => name !== column);
      const same = others.map((name) => ` AND own.${name} = ${table.name}.${name}`).join('');
      const clear = statement<Renaming>(
        `DELETE FROM ${table.name} WHERE ${where('@to')}
          AND EXISTS (SELECT 1 FROM ${table.name} AS own WHERE own.${column} = @from${same})`,
      );
      return [clear, set];
    }),
    ...tables
      .filter((table) => table.of.stream !== undefined && !renamedSeparately.includes(table))
      .map((table) => updateStreamReferences(table.name, `${sqlName(table, table.of.stream ?? '')}_id`)),
  ];
}
