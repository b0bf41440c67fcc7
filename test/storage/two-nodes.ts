import { GantryError } from '../../src/core/errors.ts';
import type { StoredEvent } from '../../src/core/events/stream.ts';
import type { Database } from '../../src/core/storage/database.ts';
import { PostgresDatabase } from '../../src/engines/postgres/postgres-database.ts';
import { registerGame } from '../../src/features/games/commands.ts';
import { gamePolicies } from '../../src/features/games/game.ts';
import { defaultBoardOf } from '../../src/features/scores/board-rows.ts';
import { requireBoard } from '../../src/features/scores/boards.ts';
import { listLeaderboardRows, readPlace } from '../../src/features/scores/leaderboard-queries.ts';
import { startSession } from '../../src/features/sessions/commands.ts';
import { domain } from '../../src/server/declarations/domain.ts';
import { rowsIn } from '../support/rows-in.ts';
import { learn, newScene, randomFrom, randomOperation, type Scene } from './random-writes.ts';

export interface TwoNodesCounts {
  operations: number;
  refused: number;
  /** Answered with anything but a result or a refusal. */
  failed: number;
  /** Events that were published after a commit, by the node that wrote them. */
  told: number;
  /** Published, and stored differently or not at all. */
  lost: number;
  /** Stored, and published by no node. */
  untold: number;
  /** Streams whose numbers have a gap, or do not end at the stream's position. */
  gaps: number;
  /** Lanes whose positions have a gap. */
  laneGaps: number;
  /** Places on the leaderboard that differ from a count. */
  wrongRanks: number;
  ranks: number;
  retries: number;
  p50: number;
  p99: number;
}

/**
 * Two nodes execute every kind of write for the same players concurrently; then all published events are compared with
 * the rows.
 */
export async function runTwoNodes(
  url: string,
  { seconds, players, inFlight, seed }: { seconds: number; players: number; inFlight: number; seed: number },
): Promise<TwoNodesCounts> {
  const failures: unknown[] = [];
  const report = (error: unknown) => failures.push(error);
  const nodes = await Promise.all([1, 2].map(() => PostgresDatabase.open(url, domain, { report })));
  const [first] = nodes;
  if (!first) throw new Error('there is no node');
  const told: StoredEvent[] = [];
  for (const node of nodes) node.onCommit((events) => told.push(...events));
  const scene = newScene(
    Array.from({ length: players }, (_, n) => `0x${(n + 1).toString(16).padStart(40, '0')}`),
    ['renaming'],
  );
  for (const slug of ['first', 'second']) {
    const { id } = await first.write(
      registerGame,
      { name: slug, slug },
      { hash: slug, sealedMd5: '', sealedSecret: '' },
    );
    scene.gameIds = [...scene.gameIds, id];
  }
  await Promise.all(
    scene.gameIds.flatMap((gameId) =>
      scene.wallets.map((wallet) => first.write(startSession, { gameId, wallet }, 1e9)),
    ),
  );
  const took: number[] = [];
  let [operations, refused] = [0, 0];
  const until = performance.now() + seconds * 1000;
  const work = async (node: Database, random: () => number) => {
    while (performance.now() < until) {
      const operation = randomOperation(random, scene);
      const from = performance.now();
      try {
        learn(scene, operation, await operation.run(node));
      } catch (error) {
        if (error instanceof GantryError && error.reason !== 'store_unavailable') refused++;
        else failures.push(error);
      }
      operations++;
      took.push(performance.now() - from);
    }
  };
  await Promise.all(
    nodes.flatMap((node, n) =>
      Array.from({ length: inFlight }, (_, k) => work(node, randomFrom(seed + n * 1_000 + k))),
    ),
  );
  const audit = await auditEvents(first, told);
  await first.fold();
  const ranks = await auditRanks(first, scene);
  const counts = await Promise.all(nodes.map((node) => node.counts()));
  const retries = counts.reduce((sum, of) => sum + of.retries, 0);
  await Promise.all(nodes.map((node) => node.close()));
  for (const failure of failures.slice(0, 5)) process.stderr.write(`${failure}\n`);
  took.sort((one, other) => one - other);
  const at = (share: number) => Math.round((took[Math.floor(took.length * share)] ?? 0) * 10) / 10;
  return {
    operations,
    refused,
    failed: failures.length,
    ...audit,
    ...ranks,
    retries,
    p50: at(0.5),
    p99: at(0.99),
  };
}

/** Compares published events with the stored ones. */
export async function auditEvents(db: Database, told: readonly StoredEvent[]) {
  const rows = (await rowsIn(
    db,
    `SELECT s.name AS stream, e.seq, e.name, e.lane, e.position FROM events AS e JOIN streams AS s ON s.id = e.stream_id`,
    {},
  )) as { stream: string; seq: number; name: string; lane: number; position: number }[];
  const kept = new Map(rows.map((row) => [`${row.stream} ${row.seq}`, row]));
  const received = new Set(told.map(({ stream, seq }) => `${stream} ${seq}`));
  const lost = told.filter(({ stream, seq, name, lane, position }) => {
    const row = kept.get(`${stream} ${seq}`);
    return row?.name !== name || row.lane !== lane || row.position !== position;
  }).length;
  const streams = (await rowsIn(
    db,
    `SELECT s.name, s.seq, count(*) AS count, min(e.seq) AS first, max(e.seq) AS last
      FROM streams AS s LEFT JOIN events AS e ON e.stream_id = s.id GROUP BY s.id, s.name, s.seq`,
    {},
  )) as { seq: number; count: number; first: number; last: number }[];
  const gaps = streams.filter(
    ({ seq, count, first, last }) => first !== 1 || last !== seq || count !== seq,
  ).length;
  const lanes = (await rowsIn(
    db,
    `SELECT l.position, count(e.position) AS count FROM write_lanes AS l LEFT JOIN events AS e ON e.lane = l.lane
      GROUP BY l.lane, l.position`,
    {},
  )) as { position: number; count: number }[];
  return {
    told: told.length,
    lost: lost + told.length - received.size,
    untold: rows.filter(({ stream, seq }) => !received.has(`${stream} ${seq}`)).length,
    gaps,
    laneGaps: lanes.filter(({ position, count }) => position !== count).length,
  };
}

/** The places on every leaderboard, including named ones. */
async function auditRanks(db: Database, { gameIds, wallets, guests }: Scene) {
  let [ranks, wrongRanks] = [0, 0];
  const compare = async (
    table: string,
    boardId: string,
    placeOf: (wallet: string) => Promise<number | null>,
  ) => {
    const sorted = (await rowsIn(
      db,
      `SELECT s.wallet FROM ${table} AS b JOIN streams AS s ON s.id = b.stream_id WHERE b.board_id = CAST(@boardId AS uuid)
        ORDER BY b.sort_score, b.reached_at, b.score_id`,
      { boardId },
    )) as { wallet: string }[];
    for (const wallet of [...wallets, ...guests.slice(0, 50)]) {
      const place = sorted.findIndex((row) => row.wallet === wallet) + 1;
      ranks++;
      if ((await placeOf(wallet)) !== (place || null)) wrongRanks++;
    }
  };
  for (const gameId of gameIds) {
    await compare('board', gameId, (wallet) => db.read(readPlace, defaultBoardOf(gameId), wallet));
    for (const { name } of await db.read(listLeaderboardRows, gameId)) {
      const game = { id: gameId, policies: gamePolicies.parse({}) };
      const board = await requireBoard(db, game, { leaderboard: name }, { isPublic: false });
      await compare('leaderboard_entries', board.seasonId, (wallet) => db.read(readPlace, board, wallet));
    }
  }
  return { ranks, wrongRanks };
}
