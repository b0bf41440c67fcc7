import { randomUUID } from 'node:crypto';
import type { LanePlace } from './batch.ts';
import { Connection } from './connection.ts';

/** A lane whose node was not heard of for so long is taken over by another one. */
const abandonedAfter = '60 seconds';

/** What the connections are called on which a server writes, and those of commands. */
export const serverName = 'gantry server';
export const commandName = 'gantry command';

/** How long a server may take to give a lane, which may wait for a transaction to end, before the connection is given up. */
const answerMs = 5_000;

/** A connection that writes, on a lane that is this node's alone. */
export interface WriteLane {
  readonly connection: Connection;
  readonly place: LanePlace;
}

interface LaneRow {
  lane: number;
  n: number;
  position: number;
}

/** What a lane came to while its connection was gone. */
export type Doubt = 'committed' | 'undone' | 'unknown';

/** Opens a connection that has a lane: one that nobody has any more, or a new one. @throws what the driver says */
export async function openLane(url: string, name: string): Promise<WriteLane> {
  const connection = await Connection.open(url, name);
  const take = async () => {
    const place = await takeLane(connection);
    await nameAfterLane(connection, name, place);
    return { connection, place };
  };
  return answeredInTime(connection, take());
}

/** @throws what it rejects with, or that it took too long; the connection is cut off then */
async function answeredInTime<Result>(connection: Connection, work: Promise<Result>): Promise<Result> {
  const timer = setTimeout(() => connection.destroy(), answerMs);
  try {
    return await work;
  } catch (error) {
    connection.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** So that others see who has which lane, and that it is there (`otherServers`). */
async function nameAfterLane(connection: Connection, name: string, { lane }: LanePlace): Promise<void> {
  await connection.run(`SELECT set_config('application_name', $1, false)`, [`${name} ${lane}`]);
}

/**
 * Takes a lane, and ends the sole-writer mode of any other lane before this one writes. Taking and claiming are
 * serialized by `laneMutex`, so each sees what was decided before it.
 */
async function takeLane(connection: Connection): Promise<LanePlace> {
  await connection.script('BEGIN');
  await connection.script(laneMutex);
  const row = await ownedRow(connection, randomUUID());
  // Waits for a batch that the sole writer is committing; its next batch fails at the fence.
  await connection.run('UPDATE write_lanes SET sole_writer = false WHERE sole_writer');
  const isSoleWriter = await claim(connection, row);
  await commit(connection);
  return { ...row, isSoleWriter };
}

async function ownedRow(connection: Connection, owner: string): Promise<Omit<LanePlace, 'isSoleWriter'>> {
  const taken = await connection.run<LaneRow>(
    `UPDATE write_lanes SET owner = $1, seen_at = clock_timestamp() WHERE lane = (
        SELECT lane FROM write_lanes WHERE owner IS NULL OR seen_at < clock_timestamp() - interval '${abandonedAfter}'
        ORDER BY lane LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING lane, n, position`,
    [owner],
  );
  const { rows } =
    taken.rowCount > 0
      ? taken
      : await connection.run<LaneRow>(
          `INSERT INTO write_lanes (lane, owner) SELECT coalesce(max(lane), -1) + 1, $1 FROM write_lanes
            RETURNING lane, n, position`,
          [owner],
        );
  const [row] = rows;
  if (!row) throw new Error('no lane was made');
  return { ...row, owner, heir: randomUUID() };
}

/** A row lock that is held until the transaction ends. */
const laneMutex = 'SELECT epoch FROM history FOR UPDATE';

/**
 * Makes a lane the sole writer unless another lane is in use; returns whether it is. Whoever takes another lane ends that
 * first (`takeLane`), so rows that its batches have read or written stay as they are until one of its batches fails.
 */
export async function claimSoleWriter({ connection, place }: WriteLane): Promise<boolean> {
  await connection.script('BEGIN');
  try {
    await connection.script(laneMutex);
    const isSoleWriter = await claim(connection, place);
    await commit(connection);
    return isSoleWriter;
  } catch (error) {
    await connection.script('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** An abandoned lane is taken from its owner, which may only have been paused. */
async function claim(
  connection: Connection,
  { lane, owner }: Pick<LanePlace, 'lane' | 'owner'>,
): Promise<boolean> {
  await connection.run(
    `UPDATE write_lanes SET owner = NULL, sole_writer = false WHERE lane IN (
        SELECT lane FROM write_lanes WHERE lane <> $1 AND owner IS NOT NULL
          AND seen_at < clock_timestamp() - interval '${abandonedAfter}' FOR UPDATE SKIP LOCKED)`,
    [lane],
  );
  const { rows } = await connection.run<{ sole_writer: boolean }>(
    `UPDATE write_lanes SET sole_writer = NOT EXISTS (SELECT 1 FROM write_lanes WHERE lane <> $1 AND owner IS NOT NULL)
      WHERE lane = $1 AND owner = $2 RETURNING sole_writer`,
    [lane, owner],
  );
  return rows[0]?.sole_writer ?? false;
}

async function commit(connection: Connection): Promise<void> {
  if ((await connection.script('COMMIT')) !== 'COMMIT') throw new Error('a lane was not taken');
}

/**
 * After a connection was lost while it committed: takes the lane again, which waits for that transaction to end, and says
 * whether it was committed. Nothing that was sent before can be committed afterwards. `isBehind`: the lane has not even the
 * batches that were committed before, so that another server must have taken over.
 */
export async function reclaimLane(
  url: string,
  name: string,
  before: LanePlace,
): Promise<{ lane: WriteLane | null; doubt: Doubt; isBehind: boolean }> {
  const connection = await Connection.open(url, name);
  return answeredInTime(connection, reclaim(connection, name, before));
}

async function reclaim(
  connection: Connection,
  name: string,
  before: LanePlace,
): Promise<{ lane: WriteLane | null; doubt: Doubt; isBehind: boolean }> {
  const { rows } = await connection.run<LaneRow>(
    `UPDATE write_lanes SET owner = $3, seen_at = clock_timestamp(), sole_writer = false WHERE lane = $1 AND owner IN ($2, $3)
      RETURNING lane, n, position`,
    [before.lane, before.owner, before.heir],
  );
  const [row] = rows;
  if (row) {
    const doubt = row.n === before.n + 1 ? 'committed' : 'undone';
    const place = { ...row, owner: before.heir, heir: randomUUID(), isSoleWriter: false };
    await nameAfterLane(connection, name, place);
    return { lane: { connection, place }, doubt, isBehind: row.n < before.n };
  }
  const { rows: found } = await connection.run<{ n: number }>('SELECT n FROM write_lanes WHERE lane = $1', [
    before.lane,
  ]);
  connection.destroy();
  return { lane: null, doubt: 'unknown', isBehind: (found[0]?.n ?? -1) < before.n };
}

/** Tells the others that the lane is still in use. False: it is another node's by now. */
export async function keepLane({ connection, place }: WriteLane): Promise<boolean> {
  const { rowCount } = await connection.run(
    'UPDATE write_lanes SET seen_at = clock_timestamp() WHERE lane = $1 AND owner = $2',
    [place.lane, place.owner],
  );
  return rowCount > 0;
}

/** How many other servers work with the database, by their lanes: each is kept, and its connection is there. */
export async function otherServers({ connection, place }: WriteLane): Promise<number> {
  const { rows } = await connection.run<{ count: number }>(
    `SELECT count(*) AS count FROM write_lanes AS l
      WHERE owner IS NOT NULL AND lane <> $1 AND seen_at > clock_timestamp() - interval '${abandonedAfter}'
        AND EXISTS (SELECT 1 FROM pg_stat_activity AS a
          WHERE a.datname = current_database() AND a.application_name = '${serverName} ' || l.lane)`,
    [place.lane],
  );
  return rows[0]?.count ?? 0;
}

/** Leaves the lane to whoever comes next. */
export async function releaseLane({ connection, place }: WriteLane): Promise<void> {
  await connection
    .run('UPDATE write_lanes SET owner = NULL, sole_writer = false WHERE lane = $1 AND owner = $2', [
      place.lane,
      place.owner,
    ])
    .catch(() => {}); // it is found abandoned after a while
  await connection.close();
}
