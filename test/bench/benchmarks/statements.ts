import type { Database } from 'better-sqlite3';
import { dataFiles } from '../../../src/config.ts';
import { openDatabase } from '../../../src/engines/sqlite/open-database.ts';
import { withHiddenParameters } from '../../../src/engines/sqlite/prepare.ts';
import type { Benchmark, Row } from '../benchmark.ts';
import { fillBoardBySql, walletOf } from '../fill-by-sql.ts';
import { interleaveTurns, median, toRow } from '../rounds.ts';
import { makeWorld } from '../world.ts';

const players = 10_000;
/** Of each side in a round. */
const turns = 25;
const executionsATurn = 2_000;
const key = 'sort_score, reached_at, score_id';
const descending = 'sort_score DESC, reached_at DESC, score_id DESC';

interface Case {
  text: string;
  values: unknown[];
  aim: string;
}

export const statements: Benchmark = {
  name: 'statements',
  summary: 'CPU time of a statement of SQLite with hidden parameters, against the same with visible ones',
  async run(settings) {
    await using world = await makeWorld(0);
    fillBoardBySql(world.dataDirectory, world.gameId, players);
    const db = openDatabase(dataFiles(world.dataDirectory).database);
    const rows: Row[] = [];
    try {
      for (const [variant, { text, values, aim }] of Object.entries(cases(db, world.gameId))) {
        const measure = (of: string) => {
          const statement = db.prepare(of);
          // In a transaction, or most of the time would go into the file's locks.
          const executeAll = db.transaction(() => {
            for (let count = 0; count < executionsATurn; count++) statement.all(...values);
          });
          return async () => {
            const before = cpuMicroseconds();
            executeAll();
            return (cpuMicroseconds() - before) / executionsATurn;
          };
        };
        const figure = { name: 'statements', variant, unit: 'µs', aim };
        const sides = { ours: measure(withHiddenParameters(text)), against: measure(text) };
        const { ours, against } = await interleaveTurns(figure, sides, { ...settings, turns });
        rows.push(toRow(figure, ours.map(median), against.map(median)));
      }
    } finally {
      db.close();
    }
    return rows;
  },
};

/** CPU time of this process so far. Linux counts its division into user and system time in ticks of milliseconds; the sum is exact. */
function cpuMicroseconds(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Statements as the engine writes them, with values that are found. */
function cases(db: Database, gameId: string): Record<string, Case> {
  const board = db.prepare<[string], number>('SELECT id FROM boards WHERE game_id = ?').pluck().get(gameId);
  const wallet = walletOf(players / 2);
  const row = db
    .prepare<[string], [number, number, number, string]>(
      `SELECT stream_id, ${key} FROM board JOIN streams ON id = stream_id WHERE wallet = ?`,
    )
    .raw()
    .get(wallet);
  const [stream, ...rank] = row ?? [];
  return {
    'a row by its key': {
      text: 'SELECT * FROM board WHERE stream_id = ? LIMIT 1',
      values: [stream],
      aim: '≤ 1.05',
    },
    'the mark before a key': {
      text: `SELECT ${key}, count FROM board_marks WHERE board_id = ? AND level = ? AND (${key}) < (?, ?, ?)
        ORDER BY ${descending} LIMIT 1`,
      values: [board, 1, ...rank],
      aim: '≤ 0.2',
    },
    'five rows after a key': {
      text: `SELECT stream_id, ${key} FROM board WHERE board_id = ? AND (${key}) >= (?, ?, ?) ORDER BY ${key} LIMIT ?`,
      values: [board, ...rank, 5],
      aim: '≤ 0.6',
    },
    'the streams of a player': {
      text: 'SELECT name, seq, first_seq FROM streams WHERE wallet = ? ORDER BY name LIMIT ?',
      values: [wallet, 100],
      aim: '≤ 0.5',
    },
    'undelivered notifications': {
      text: `SELECT * FROM notifications WHERE delivered_at IS NULL AND wallet = @wallet
        AND (game_id = @gameId OR @gameId IS NULL) ORDER BY event_seq LIMIT @limit`,
      values: [{ wallet, gameId: null, limit: 100 }],
      aim: '≤ 0.3',
    },
    'a list by an index': {
      text: 'SELECT * FROM scores WHERE stream_id = ? ORDER BY revision DESC LIMIT ? OFFSET ?',
      values: [stream, 10, 0],
      aim: '≤ 0.5',
    },
  };
}
