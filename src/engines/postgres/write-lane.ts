import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { endedBySchema } from '../../core/storage/migrations.ts';
import { unavailable } from '../unavailable.ts';
import type { LanePlace } from './batch.ts';
import { Connection, planByKey, settled } from './connection.ts';
import { laneMutex, schemaVersion } from './migrate.ts';

/**
 * Another node may take over a lane whose lease has not been renewed for this long, by the database's clock. Statements
 * read it by `statement_timestamp`, because a distributed PostgreSQL refuses volatile functions in an UPDATE.
 */
const leaseDuration = '60 seconds';

/** Application names of the connections that servers and CLI commands write on. */
export const serverName = 'gantry server';
export const commandName = 'gantry command';

/** How long the sole writer may use the result of a version check, counted from before the check was sent. */
export const versionLeaseMs = 100;
/**
 * How long a node that joins others waits before it writes: longer than `versionLeaseMs`, since the clocks of two machines
 * may run at different speeds.
 */
const joinDelayMs = 250;

/** The timeout for acquiring a lane, which may wait for another transaction to end. */
const acquireTimeoutMs = 5_000;

/** A connection that writes on a lane that this node owns. */
export interface WriteLane {
  readonly connection: Connection;
  readonly place: LanePlace;
}

interface LaneRow {
  lane: number;
  n: number;
  position: number;
}

/** What became of the batch in doubt when its connection was lost. */
export type InDoubtOutcome = 'committed' | 'undone' | 'unknown';

/** How many leading characters all owner ids of a node share. */
const nodeLength = 18;

/** The leading characters of the owner ids of a new node. */
export function newNode(): string {
  return randomUUID().slice(0, nodeLength);
}

/** A new owner id of a node, given its leading characters or another of its owner ids. */
function newOwner(node: string): string {
  return `${node.slice(0, nodeLength)}${randomUUID().slice(nodeLength)}`;
}

/**
 * Opens a connection and acquires a lane: a free or abandoned one, or a new one. `node`: see `newNode`.
 * @throws the driver's error
 */
export async function openLane(url: string, name: string, node = newNode()): Promise<WriteLane> {
  const connection = await Connection.open(url, name, { isGrouped: true });
  const acquire = async () => {
    const place = await acquireLane(connection, node);
    await setUp(connection, name, place);
    return { connection, place };
  };
  return withinTimeout(connection, acquire());
}

/** Destroys the connection when the work fails or times out. @throws the work's error */
async function withinTimeout<Result>(connection: Connection, work: Promise<Result>): Promise<Result> {
  const timer = setTimeout(() => connection.destroy(), acquireTimeoutMs);
  try {
    return await work;
  } catch (error) {
    connection.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Sets up a lane's connection. Its application name has the lane, by which other nodes see that its owner is alive
 * (`otherServers`).
 */
async function setUp(connection: Connection, name: string, { lane }: LanePlace): Promise<void> {
  await settled([
    connection.run(`SELECT set_config('application_name', $1, false)`, [`${name} ${lane}`]),
    planByKey(connection),
  ]);
}

/**
 * Acquires a lane, and ends the sole-writer mode of any other lane before this one writes: its next batch fails, and
 * its node checks its caches with every call again once `versionLeaseMs` has passed. Acquiring and claiming are serialized
 * by `laneMutex`, so each sees what was decided before it.
 */
async function acquireLane(connection: Connection, node: string): Promise<LanePlace> {
  await connection.script('BEGIN');
  const { rows } = await connection.run<{ oldest: number }>(laneMutex);
  refuseEnded(rows[0]?.oldest ?? 0);
  const row = await acquireRow(connection, node);
  // Waits for a batch that the sole writer is committing; its next batch fails at the fence.
  await connection.run('UPDATE write_lanes SET sole_writer = false WHERE sole_writer');
  const isSoleWriter = await claim(connection, row);
  await connection.commit();
  if (!isSoleWriter) await delay(joinDelayMs); // another node may have been the sole writer just now
  return { ...row, isSoleWriter };
}

async function acquireRow(connection: Connection, node: string): Promise<Omit<LanePlace, 'isSoleWriter'>> {
  const owner = newOwner(node);
  const free = await connection.run<LaneRow>(
    `UPDATE write_lanes SET owner = $1, seen_at = statement_timestamp() WHERE lane = (
        SELECT lane FROM write_lanes WHERE owner IS NULL OR seen_at < statement_timestamp() - interval '${leaseDuration}'
        ORDER BY lane LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING lane, n, position`,
    [owner],
  );
  const { rows } =
    free.rowCount > 0
      ? free
      : await connection.run<LaneRow>(
          `INSERT INTO write_lanes (lane, owner) SELECT coalesce(max(lane), -1) + 1, $1 FROM write_lanes
            RETURNING lane, n, position`,
          [owner],
        );
  const [row] = rows;
  if (!row) throw new Error('inserting a lane returned no row');
  return { ...row, owner, nextOwner: newOwner(node) };
}

/** Refuses to write on a schema that does not admit this program any more. @throws GantryError `store_unavailable` */
function refuseEnded(oldest: number): void {
  if (oldest > schemaVersion)
    throw unavailable('be reached', new Error(endedBySchema(oldest, schemaVersion)));
}

/**
 * Makes a lane the sole writer unless another lane is in use; returns whether it is. A node that acquires another lane
 * ends that first (`acquireLane`), so rows that its batches have read or written do not change until one of its batches
 * fails.
 */
export async function claimSoleWriter({ connection, place }: WriteLane): Promise<boolean> {
  await connection.script('BEGIN');
  try {
    await connection.script(laneMutex);
    const isSoleWriter = await claim(connection, place);
    await connection.commit();
    return isSoleWriter;
  } catch (error) {
    await connection.script('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** Frees abandoned lanes, whose owners may only have been paused, then claims. */
async function claim(
  connection: Connection,
  { lane, owner }: Pick<LanePlace, 'lane' | 'owner'>,
): Promise<boolean> {
  await connection.run(
    `UPDATE write_lanes SET owner = NULL, sole_writer = false WHERE lane IN (
        SELECT lane FROM write_lanes WHERE lane <> $1 AND owner IS NOT NULL
          AND seen_at < statement_timestamp() - interval '${leaseDuration}' FOR UPDATE SKIP LOCKED)`,
    [lane],
  );
  const { rows } = await connection.run<{ sole_writer: boolean }>(
    `UPDATE write_lanes SET sole_writer = NOT EXISTS (SELECT 1 FROM write_lanes WHERE lane <> $1 AND owner IS NOT NULL)
      WHERE lane = $1 AND owner = $2 RETURNING sole_writer`,
    [lane, owner],
  );
  return rows[0]?.sole_writer ?? false;
}

/**
 * Call this after a connection was lost during a commit: reclaims the lane, which waits for that transaction to end,
 * and returns whether it was committed. Nothing that was sent before can be committed afterwards. `isBehind`: the lane
 * lacks batches that were committed before, so another server must have taken over.
 */
export async function reclaimLane(
  url: string,
  name: string,
  before: LanePlace,
): Promise<{ lane: WriteLane | null; doubt: InDoubtOutcome; isBehind: boolean }> {
  const connection = await Connection.open(url, name, { isGrouped: true });
  return withinTimeout(connection, reclaim(connection, name, before));
}

async function reclaim(
  connection: Connection,
  name: string,
  before: LanePlace,
): Promise<{ lane: WriteLane | null; doubt: InDoubtOutcome; isBehind: boolean }> {
  const { rows } = await connection.run<LaneRow>(
    `UPDATE write_lanes SET owner = $3, seen_at = statement_timestamp(), sole_writer = false WHERE lane = $1 AND owner IN ($2, $3)
      RETURNING lane, n, position`,
    [before.lane, before.owner, before.nextOwner],
  );
  const [row] = rows;
  if (row) {
    const doubt = row.n === before.n + 1 ? 'committed' : 'undone';
    const place = { ...row, owner: before.nextOwner, nextOwner: newOwner(before.owner), isSoleWriter: false };
    await setUp(connection, name, place);
    return { lane: { connection, place }, doubt, isBehind: row.n < before.n };
  }
  const { rows: found } = await connection.run<{ n: number }>('SELECT n FROM write_lanes WHERE lane = $1', [
    before.lane,
  ]);
  connection.destroy();
  return { lane: null, doubt: 'unknown', isBehind: (found[0]?.n ?? -1) < before.n };
}

/** Renews the lane's lease. False: another node has taken it. */
export async function renewLane({ connection, place }: WriteLane): Promise<boolean> {
  const { rowCount } = await connection.run(
    'UPDATE write_lanes SET seen_at = statement_timestamp() WHERE lane = $1 AND owner = $2',
    [place.lane, place.owner],
  );
  return rowCount > 0;
}

/**
 * Whether this node still owns the lane. A node that has taken it has also used the positions of the next events, so
 * that a batch fails with a conflict before it reaches the fence.
 */
export async function isStillOwned(lane: WriteLane): Promise<boolean> {
  return renewLane(lane).catch(() => true); // the next attempt reports the connection's error
}

/** How many other servers use the database: lanes with a valid lease whose connection is open. */
export async function otherServers({ connection, place }: WriteLane): Promise<number> {
  const { rows } = await connection.run<{ count: number }>(
    `SELECT count(*) AS count FROM write_lanes AS l
      WHERE owner IS NOT NULL AND lane <> $1 AND seen_at > statement_timestamp() - interval '${leaseDuration}'
        AND EXISTS (SELECT 1 FROM pg_stat_activity AS a
          WHERE a.datname = current_database() AND a.application_name = '${serverName} ' || l.lane)`,
    [place.lane],
  );
  return rows[0]?.count ?? 0;
}

/** Releases the lane and closes its connection. */
export async function releaseLane({ connection, place }: WriteLane): Promise<void> {
  await connection
    .run('UPDATE write_lanes SET owner = NULL, sole_writer = false WHERE lane = $1 AND owner = $2', [
      place.lane,
      place.owner,
    ])
    .catch(() => {}); // its lease expires
  await connection.close();
}
