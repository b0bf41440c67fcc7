import { parseArgs } from 'node:util';
import type { Owner } from '../../src/core/schemas/owner.ts';
import { Connection } from '../../src/engines/postgres/connection.ts';
import { PostgresDatabase } from '../../src/engines/postgres/postgres-database.ts';
import { RankCounts } from '../../src/engines/postgres/rank-counts.ts';
import { registerGame } from '../../src/features/games/commands.ts';
import { defaultBoardOf } from '../../src/features/scores/board-rows.ts';
import { setScore } from '../../src/features/scores/commands.ts';
import { readBoardPage, readPlace } from '../../src/features/scores/leaderboard-queries.ts';
import { board } from '../../src/features/scores/tables.ts';
import { domain } from '../../src/server/declarations/domain.ts';
import { walletOf } from '../bench/fill-by-sql.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { fillPlayers, numbers, scoreId, streamId } from './postgres-players.ts';
import { type Times, timedInTurns } from './timings.ts';

export interface RanksOptions {
  players: number;
  /** Of a place against a count of the rows before it. */
  checks: number;
  /** How often a place and a page are read to measure the time: during writes, and again without. */
  reads: number;
  /** Writers of each of the two nodes; nine of ten scores are better than the player's last. */
  writers: number;
}

export interface RanksCounts extends RanksOptions {
  wrong: number;
  /** Scores written while places were checked. */
  writes: number;
  whileWritten: { place: Times; page: Times };
  atRest: { place: Times; page: Times };
}

/**
 * Puts players on a board, has two nodes write scores to it, and compares places with `count(*)`, both at one moment;
 * then reads places anywhere on the board, and pages at its top, a different one each time, so that none is cached.
 */
export async function runRanks(url: string, options: RanksOptions): Promise<RanksCounts> {
  const { players, checks, reads, writers } = options;
  const nodes = await Promise.all([1, 2].map(() => PostgresDatabase.open(url, domain)));
  const [first, second] = nodes;
  if (!first || !second) throw new Error('there is no node');
  const secret = { hash: 'h', sealedMd5: '', sealedSecret: '' };
  const { id: gameId } = await first.write(registerGame, { name: 'Ranks' }, secret);
  await fill(url, gameId, players);
  const owner = (n: number): Owner => ({ gameId, wallet: walletOf(n) });
  const anyone = () => owner(Math.floor(Math.random() * players));

  let isWriting = true;
  let writes = 0;
  const best = new Map<string, number>();
  const write = async (node: PostgresDatabase) => {
    while (isWriting) {
      const player = anyone();
      // Far up as well as a little, so that rows cross bucket boundaries.
      const by = Math.random() < 0.5 ? Math.random() * players : Math.random() * 100;
      const before = best.get(player.wallet) ?? Number(BigInt(player.wallet));
      const score = Math.random() < 0.9 ? before + by : before - by;
      await node.write(setScore, player, score, 'n');
      best.set(player.wallet, score);
      writes++;
    }
  };
  const writing = Promise.all(nodes.flatMap((node) => Array.from({ length: writers }, () => write(node))));
  const wrong = await wrongPlaces(url, gameId, checks, anyone);
  const time = () =>
    timedInTurns(
      {
        place: () => second.read(readPlace, defaultBoardOf(gameId), anyone().wallet),
        page: (n) => second.read(readBoardPage, defaultBoardOf(gameId), { limit: 50, skip: n }),
      },
      reads,
    );
  const whileWritten = await time();
  const written = writes;
  isWriting = false;
  await writing;
  await first.fold();
  const atRest = await time();
  await Promise.all(nodes.map((node) => node.close()));
  return { ...options, wrong, writes: written, whileWritten, atRest };
}

/** A place and a count, in one snapshot. */
async function wrongPlaces(
  url: string,
  gameId: string,
  checks: number,
  anyone: () => Owner,
): Promise<number> {
  const connection = await Connection.open(url, 'gantry ranks');
  const ranks = new RankCounts([board]);
  let wrong = 0;
  try {
    for (let check = 0; check < checks; check++) {
      await connection.script('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      const { rows } = await connection.run<{ score: number; at: number; id: string }>(
        `SELECT b.sort_score AS score, b.reached_at AS at, b.score_id AS id FROM board AS b
          WHERE b.stream_id = substr(encode(sha256(convert_to($1, 'UTF8')), 'hex'), 1, 32)::uuid`,
        [`player:${gameId}:${anyone().wallet}`],
      );
      const [row] = rows;
      if (!row) throw new Error('a player is not on the board');
      const key = [row.score, row.at, row.id];
      const place = await ranks.countBefore(connection, board, gameId, key);
      const counted = await connection.run<{ count: number }>(
        `SELECT count(*) AS count FROM board WHERE board_id = $1
          AND (sort_score, reached_at, score_id) < ($2::double precision, $3::bigint, $4::uuid)`,
        [gameId, ...key],
      );
      await connection.script('COMMIT');
      if (place !== counted.rows[0]?.count) wrong++;
    }
  } finally {
    await connection.close();
  }
  return wrong;
}

/** Players with a score each, equal to their number: directly into the tables, as the store would write them. */
async function fill(url: string, gameId: string, players: number): Promise<void> {
  await fillPlayers(url, gameId, players, async (connection) => {
    const fillings = [
      `INSERT INTO scores (id, stream_id, revision, nonce, score, reached_at, updated_at)
        SELECT ${scoreId}, ${streamId}, 1, 'n', n, 1, 1 ${numbers}`,
      `INSERT INTO board (stream_id, board_id, score_id, sort_score, reached_at)
        SELECT ${streamId}, $1::text::uuid, ${scoreId}, -n, 1 ${numbers}`,
    ];
    for (const text of fillings) await connection.run(text, [gameId, players]);
    await new RankCounts([board]).recount(connection, board, gameId);
  });
}

/** `node test/storage/ranks.ts --players 1000000 --checks 1000 --reads 3000 --writers 4` */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      players: { type: 'string', default: '1000000' },
      checks: { type: 'string', default: '1000' },
      reads: { type: 'string', default: '3000' },
      writers: { type: 'string', default: '4' },
    },
  });
  await using server = await PostgresServer.start({ fsync: true, settings: { shared_buffers: '512MB' } });
  const counts = await runRanks(server.url(), {
    players: Number(values.players),
    checks: Number(values.checks),
    reads: Number(values.reads),
    writers: Number(values.writers),
  });
  process.stdout.write(`${JSON.stringify(counts, null, 2)}\n`);
  const { place, page } = counts.whileWritten;
  process.exitCode = counts.wrong === 0 && place.p99 <= 1.5 * page.p99 ? 0 : 1;
}

if (import.meta.main) await main();
