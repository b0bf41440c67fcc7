import { deleteEventsOfPlayer, deleteStreamsOfPlayer } from '../../core/events/renaming.ts';
import { type Command, type ExclusiveTx, exclusiveCommand, type Steps } from '../../core/storage/command.ts';
import { type Statement, statement } from '../../core/storage/query.ts';
import type { AnyTable } from '../../core/storage/table.ts';
import { idempotencyKeys } from '../idempotency/tables.ts';
import { notifications } from '../notifications/tables.ts';
import { type GuestRow, guestDevices, guests, players } from '../players/tables.ts';
import { openedGames, sessions, signIns } from '../sessions/tables.ts';
import { type CountedRow, releaseRows, returningCounted } from '../storage-quota/game-storage.ts';
import { maxDevices } from './device.ts';
import { playerColumnsOf, sqlName } from './player-columns.ts';

/** The latest time that a Date can hold. */
export const neverSwept = 8_640_000_000_000_000;

const sweepBatchSize = 20;
const dayMs = 24 * 60 * 60 * 1000;

/** Removes idle guests; see `removeIdleGuestsOf`. */
export type RemoveIdleGuests = Command<[idleMs: number], boolean>;

/** Tables whose rows are no activity of a guest: what every guest has, and what others sent to it. */
const noActivity: readonly AnyTable[] = [
  players,
  guests,
  guestDevices,
  sessions,
  openedGames,
  signIns,
  idempotencyKeys,
  notifications,
] as readonly AnyTable[];

/**
 * Removes a batch of guests who last signed in at least `idleMs` ago and have nothing but a device: no score, state,
 * play session, activity, message, name, channel membership or ban. Returns true when there may be more. A guest who
 * has any of these is not checked again. `tables`: all tables.
 */
export function removeIdleGuestsOf(tables: readonly AnyTable[]): RemoveIdleGuests {
  const activity = activityStatement(tables);
  const deletions = deletionStatements(tables);
  return exclusiveCommand('removeIdleGuests', function* (tx, idleMs: number): Steps<boolean> {
    const first = yield* tx.list(guests.bySweep, [], { limit: sweepBatchSize });
    const due = first.filter(({ sweepAt }) => sweepAt <= tx.now);
    for (const { address } of due) {
      const guest = yield* tx.lock(guests, address);
      if (!guest) continue;
      const sweepAt = yield* nextSweep(tx, guest, idleMs, activity);
      if (sweepAt !== null) tx.put(guests, { ...guest, sweepAt });
      else {
        for (const { deletion, isCounted } of deletions) {
          const values = { from: address, wallet: address };
          if (isCounted) yield* releaseRows(tx, yield* tx.rows(deletion, values));
          else yield* tx.run(deletion, values);
        }
      }
    }
    return due.length === sweepBatchSize;
  });
}

/** When to check the guest again; null: remove it now. */
function* nextSweep(
  tx: ExclusiveTx,
  { address, wallet, vouchedBy }: GuestRow,
  idleMs: number,
  activity: Statement<{ from: string }, { n: number }>,
): Steps<number | null> {
  if (wallet !== address) return neverSwept;
  const profile = yield* tx.get(players, address);
  const [{ n } = { n: 0 }] = yield* tx.rows(activity, { from: address });
  if (n > 0 || (profile && profile.username !== '')) return neverSwept;
  const devices = yield* tx.list(guestDevices.byWallet, [address], { limit: maxDevices });
  const usedAt = Math.max(0, ...devices.map(({ lastUsedAt }) => lastUsedAt));
  if (usedAt + idleMs > tx.now) return usedAt + idleMs;
  const [latest] = yield* tx.list(sessions.live, [address], { limit: 1, last: true });
  if (latest && latest.expiresAt > tx.now) return latest.expiresAt;
  // A game's server signs its players in without a device: the latest session says when.
  if (vouchedBy === null) return null;
  const [last] = yield* tx.list(sessions.byWallet, [address], { limit: 1, last: true });
  return last && last.openedAt + idleMs > tx.now ? Math.max(last.openedAt + idleMs, tx.now + dayMs) : null;
}

function activityStatement(tables: readonly AnyTable[]): Statement<{ from: string }, { n: number }> {
  const ofPlayers = playerColumnsOf(tables.filter((table) => !noActivity.includes(table))).map(
    ({ table, where }) => `EXISTS (SELECT 1 FROM ${table.name} WHERE ${where('@from')})`,
  );
  const ofStreams = tables.flatMap((table) => {
    const { stream } = table.of;
    if (stream === undefined) return [];
    return `EXISTS (SELECT 1 FROM ${table.name} WHERE ${sqlName(table, stream)}_id IN (SELECT id FROM streams WHERE wallet = @from))`;
  });
  return statement(`SELECT CASE WHEN ${[...ofPlayers, ...ofStreams].join(' OR ')} THEN 1 ELSE 0 END AS n`);
}

interface Deletion {
  deletion: Statement<{ from: string; wallet: string }, CountedRow>;
  /** It returns the rows, to be released from the quotas of their games. */
  isCounted: boolean;
}

/** Statements that delete a guest, ordered so that no foreign key is violated. */
function deletionStatements(tables: readonly AnyTable[]): Deletion[] {
  const rows = (table: AnyTable) =>
    playerColumnsOf([table]).map(({ where }) => {
      const isCounted = table.counted !== null;
      const text = `DELETE FROM ${table.name} WHERE ${where('@from')}`;
      const deletion = isCounted
        ? statement<{ from: string; wallet: string }, CountedRow>(`${text} ${returningCounted(table)}`, {
            changes: [table],
          })
        : statement<{ from: string; wallet: string }, CountedRow>(text);
      return { deletion, isCounted };
    });
  const announced = statement<{ from: string; wallet: string }>(
    'DELETE FROM announced_present WHERE session_id IN (SELECT id FROM channel_sessions WHERE wallet = @from)',
  );
  const others = noActivity.filter((table) => tables.includes(table) && table !== players);
  const first = [announced, deleteEventsOfPlayer, deleteStreamsOfPlayer].map((deletion) => ({
    deletion,
    isCounted: false,
  }));
  return [...first, ...others.flatMap(rows), ...rows(players)];
}
