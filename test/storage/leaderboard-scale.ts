import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Database } from '../../src/core/storage/database.ts';
import { PostgresDatabase } from '../../src/engines/postgres/postgres-database.ts';
import { RankCounts } from '../../src/engines/postgres/rank-counts.ts';
import { SqliteDatabase } from '../../src/engines/sqlite/sqlite-database.ts';
import { registerGame } from '../../src/features/games/commands.ts';
import { findGame } from '../../src/features/games/queries.ts';
import { replaceRules } from '../../src/features/rules/commands.ts';
import { PrizeWorker } from '../../src/features/rules/prizes/prize-worker.ts';
import { openPrizeRuns } from '../../src/features/rules/prizes/queries.ts';
import { ruleList } from '../../src/features/rules/rule.ts';
import type { Board } from '../../src/features/scores/board-rows.ts';
import { requireBoard } from '../../src/features/scores/boards.ts';
import { setScore } from '../../src/features/scores/commands.ts';
import { addLeaderboard, endSeason } from '../../src/features/scores/leaderboard-commands.ts';
import {
  findLeaderboard,
  readAround,
  readBoardPage,
  readPlace,
} from '../../src/features/scores/leaderboard-queries.ts';
import { setLeaderboardScore } from '../../src/features/scores/leaderboard-score-commands.ts';
import { leaderboardEntries } from '../../src/features/scores/leaderboard-tables.ts';
import { StateReader } from '../../src/features/states/state-reader.ts';
import { domain } from '../../src/server/declarations/domain.ts';
import { fillLeaderboardBySql, walletOf } from '../bench/fill-by-sql.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { fillPlayers, numbers, scoreId, streamId } from './postgres-players.ts';
import { rounded, type Times, timed, timedInTurns, timesOf } from './timings.ts';

/** In milliseconds. */
export interface ScaleCounts {
  players: number;
  /** 50 rows at the top, a different page each time, so that none is cached. */
  topPage: Times;
  /** The same anywhere on the board. */
  page: Times;
  around: Times;
  place: Times;
  /** The ratio of their p99 to the top page's. */
  ratios: { page: number; around: number; place: number };
  /** Writes of four players, sequentially, during the season's end, and without it. */
  writesWithReset: Times;
  writesWithout: Times;
  reset: number;
  /** The same while 100 players of the season get their prizes, and how long that takes. */
  writesWithPrizes: Times;
  prizes: number;
  /** Places that differ from those computed from the players' numbers. */
  wrong: number;
}

const leaderboard = 'weekly';

interface Wanted {
  players: number;
  reads: number;
  /**
   * Whether places are independent of the order in which players were added, so that the rows of a page are scattered.
   */
  scattered: boolean;
}

const scatter = 7919;

/** The score for a player's number; each number below the count of players once. */
function scoreOf(number: number, { players, scattered }: Wanted): number {
  return scattered ? (number * scatter) % players : number;
}

/** The same in SQL, for a 64-bit number n. */
function scoreText(n: string, { players, scattered }: Wanted): string {
  return scattered ? `((${n} * ${scatter}) % ${players})` : n;
}

const prizeRule = {
  trigger: 'prize',
  seasonEnd: { leaderboard, places: { to: 100 } },
  actions: [{ type: 'Notify', message: 'place {place}' }],
};

/** Puts players on a leaderboard, reads it anywhere, and ends its season while scores are set. */
export async function measureLeaderboard(
  wanted: Wanted,
  open: () => Promise<Database>,
  fill: (gameId: string, seasonId: string, wanted: Wanted) => Promise<void>,
): Promise<ScaleCounts> {
  const { players } = wanted;
  const making = await open();
  const secret = { hash: 'scale', sealedMd5: 'scale', sealedSecret: 'scale' };
  const { id: gameId } = await making.write(registerGame, { name: 'Scale' }, secret);
  await making.write(addLeaderboard, gameId, {
    name: leaderboard,
    keep: 'best',
    order: 'desc',
    entries: 'player',
    public: true,
    labels: [],
    schedule: null,
    keepSeasons: null,
  });
  await making.write(replaceRules, gameId, ruleList.parse([prizeRule]));
  const row = await making.read(findLeaderboard, gameId, leaderboard);
  await making.close();
  await fill(gameId, row?.seasonId ?? '', wanted);
  const db = await open();
  try {
    const game = await db.read(findGame, gameId);
    if (!game) throw new Error('the game is not there');
    const board: Board = await requireBoard(db, game, { leaderboard }, { isPublic: true });
    const anywhere = () => Math.floor(Math.random() * players);
    let wrong = 0;
    const check = (position: number | null | undefined, number: number) => {
      if (position !== players - scoreOf(number, wanted)) wrong++;
    };
    const reads = {
      topPage: (n: number) => db.read(readBoardPage, board, { limit: 50, skip: n }),
      page: () => db.read(readBoardPage, board, { limit: 50, skip: anywhere() }),
      around: async () => {
        const number = anywhere();
        const rows = await db.read(readAround, board, walletOf(number), 11);
        check(rows?.find((row) => row.normalizedAddress === walletOf(number))?.position, number);
      },
      place: async () => {
        const number = anywhere();
        check(await db.read(readPlace, board, walletOf(number)), number);
      },
    };
    await timedInTurns({ ...reads, topPage: (n) => reads.topPage(wanted.reads + n) }, wanted.reads / 10); // warm
    const times = await timedInTurns(reads, wanted.reads);
    const ratio = ({ p99 }: Times) => rounded(p99 / times.topPage.p99);
    const writesWithout = await writes(db, gameId, async () => 0);
    let reset = 0;
    const writesWithReset = await writes(db, gameId, async () => {
      reset = await timed(() => db.write(endSeason, gameId, leaderboard));
    });
    let prizes = 0;
    const writesWithPrizes = await writes(db, gameId, async () => {
      prizes = await timed(() => givePrizes(db));
    });
    return {
      players,
      ...times,
      ratios: { page: ratio(times.page), around: ratio(times.around), place: ratio(times.place) },
      writesWithReset,
      writesWithout,
      reset: rounded(reset),
      writesWithPrizes,
      prizes: rounded(prizes),
      wrong,
    };
  } finally {
    await db.close();
  }
}

/** Gives a season's prizes, as a server does. */
async function givePrizes(db: Database): Promise<void> {
  const states = new StateReader();
  const ruleChains = { factsFor: async () => ({ signers: {}, balances: {} }) };
  const report = (thrown: unknown) => process.stderr.write(`${thrown}\n`);
  const worker = new PrizeWorker(db, { states, ruleChains, report });
  worker.start();
  while ((await db.read(openPrizeRuns, 1)).length > 0) await setTimeout(5);
  await worker.stop();
  await states.close();
}

/** How long each write of four players takes while something runs in the middle of them. */
async function writes(db: Database, gameId: string, meanwhile: () => Promise<unknown>): Promise<Times> {
  const values: number[] = [];
  const writer = async (number: number) => {
    const owner = { gameId, wallet: walletOf(number) };
    for (let n = 0; n < 250; n++) {
      const isNamed = (n + number) % 2 === 0;
      values.push(
        await timed(() =>
          isNamed ? db.write(setLeaderboardScore, owner, leaderboard, n) : db.write(setScore, owner, n),
        ),
      );
      if (number === 0 && n === 120) await meanwhile();
    }
  };
  await Promise.all([0, 1, 2, 3].map(writer));
  return timesOf(values);
}

async function fillPostgres(url: string, gameId: string, seasonId: string, wanted: Wanted): Promise<void> {
  await fillPlayers(url, gameId, wanted.players, async (connection) => {
    await connection.run(
      `INSERT INTO leaderboard_entries
          (board_id, stream_id, entry, score_id, sort_score, reached_at, records, nonce, updated_at, label, metadata)
        SELECT $3::text::uuid, ${streamId}, '', ${scoreId}, -${scoreText('n::bigint', wanted)}, 1, 1, NULL, 1, NULL, NULL ${numbers}`,
      [gameId, wanted.players, seasonId],
    );
    await new RankCounts([leaderboardEntries]).recount(connection, leaderboardEntries, seasonId);
  });
}

/** `node test/storage/leaderboard-scale.ts --engine sqlite|postgres --players 1000000 --reads 2000 --scattered` */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      engine: { type: 'string', default: 'sqlite' },
      players: { type: 'string', default: '1000000' },
      reads: { type: 'string', default: '2000' },
      scattered: { type: 'boolean', default: false },
    },
  });
  const wanted = {
    players: Number(values.players),
    reads: Number(values.reads),
    scattered: values.scattered,
  };
  const counts = await (values.engine === 'postgres' ? onPostgres(wanted) : onSqlite(wanted));
  process.stdout.write(`${JSON.stringify(counts, null, 2)}\n`);
  const isFast = Object.values(counts.ratios).every((ratio) => ratio <= 1.5);
  process.exitCode =
    counts.wrong === 0 && isFast && Math.max(counts.writesWithReset.max, counts.writesWithPrizes.max) <= 50
      ? 0
      : 1;
}

async function onSqlite(wanted: Wanted): Promise<ScaleCounts> {
  await using directory = await temporaryDirectory();
  const file = join(directory.path, 'gantry.db');
  const open = async () => new SqliteDatabase(file, domain);
  return await measureLeaderboard(wanted, open, async (gameId, seasonId) =>
    fillLeaderboardBySql(file, { gameId, seasonId }, wanted.players, scoreText('n', wanted)),
  );
}

async function onPostgres(wanted: Wanted): Promise<ScaleCounts> {
  await using server = await PostgresServer.start({ fsync: true, settings: { shared_buffers: '512MB' } });
  const url = server.url();
  const open = () => PostgresDatabase.open(url, domain);
  return await measureLeaderboard(wanted, open, (...given) => fillPostgres(url, ...given));
}

if (import.meta.main) await main();
