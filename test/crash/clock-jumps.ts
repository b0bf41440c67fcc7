import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { dataFiles } from '../../src/config.ts';
import { serveGantry } from '../support/gantry-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { audit, type Findings, isComplete } from './audit.ts';
import { burst, Poster } from './burst.ts';
import { Ledger } from './ledger.ts';
import { addPlayersTo, loadSettings } from './players.ts';

const connections = 16;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** The clock's offsets in turn, from the machine's, while writes continue. A session lasts 24 hours. */
const offsets = [0, 10 * minuteMs, 0, -hourMs, -10 * minuteMs, 0, hourMs, 0, 23 * hourMs];
const afterADayMs = 25 * hourMs;

export interface ClockReport extends Findings {
  jumps: number;
  /** Servers killed and restarted right after a jump back. */
  restarts: number;
  /** Events with an earlier time than a preceding one. */
  clockRegressions: number;
  /** Messages, and activities, that are listed before one written earlier. */
  outOfOrder: number;
  /** Calls a day ahead, when every session has expired, and those that were not refused with 401 `token_expired`. */
  callsADayAhead: number;
  notReportedExpired: number;
}

/** Whether nothing was lost, all is in order, and sessions end when they should. */
export function keepsOrder(report: ClockReport): boolean {
  return isComplete(report) && report.clockRegressions + report.outOfOrder + report.notReportedExpired === 0;
}

/** Sets a server's clock back and forth under load, with a number of writes at each setting, then a day ahead. */
export async function clockJumps(
  writesEach: number,
  rounds: number,
  onRound: (report: ClockReport) => void = () => {},
): Promise<ClockReport> {
  await using place = await temporaryDirectory();
  const dataDirectory = join(place.path, 'data');
  const offsetFile = join(place.path, 'offset');
  const setClock = (offsetMs: number) => {
    writeFileSync(`${offsetFile}.new`, String(offsetMs));
    renameSync(`${offsetFile}.new`, offsetFile); // read completely or not at all
  };
  setClock(0);
  const players = await addPlayersTo(dataDirectory, connections / 2);
  const posters = players.map((player) => new Poster(player));
  const ledger = new Ledger();
  const { database } = dataFiles(dataDirectory);
  const settings = {
    ...loadSettings,
    CLOCK_OFFSET_FILE: offsetFile,
    NODE_OPTIONS: `--import ${new URL('jumping-clock.ts', import.meta.url)}`,
  };
  let server = await serveGantry(dataDirectory, settings);
  const counts = { jumps: 0, restarts: 0, callsADayAhead: 0, notReportedExpired: 0 };
  const look = async () => ({ ...counts, ...orderIn(database), ...(await audit(database, ledger)) });
  try {
    for (let round = 0; round < rounds; round++) {
      for (const [index, offset] of offsets.entries()) {
        if (round < rounds - 1 && offset === Math.max(...offsets)) continue; // far ahead once, and last
        setClock(offset);
        counts.jumps++;
        for (const poster of posters) poster.hangUp();
        if (offset < (offsets[index - 1] ?? 0)) {
          await server.end('SIGKILL');
          server = await serveGantry(dataDirectory, settings);
          counts.restarts++;
        }
        const goal = ledger.answeredCount + writesEach;
        await burst(server.url, posters, ledger, () => ledger.answeredCount >= goal);
      }
      onRound(await look());
    }
    setClock(afterADayMs);
    counts.jumps++;
    for (const poster of posters) {
      poster.hangUp();
      const answer = await poster.writeNext(server.url, ledger);
      const { data } = (answer?.body ?? {}) as { data?: { reason?: string } };
      counts.callsADayAhead++;
      if (answer?.status !== 401 || data?.reason !== 'token_expired') counts.notReportedExpired++;
    }
    return await look();
  } finally {
    for (const poster of posters) poster.hangUp();
    await server[Symbol.asyncDispose]();
  }
}

function orderIn(database: string): { clockRegressions: number; outOfOrder: number } {
  const db = new SqliteDatabase(database, { readonly: true });
  const clockRegressions = db
    .prepare<[], number>(
      'SELECT count(*) FROM (SELECT at < lag(at) OVER (ORDER BY position) AS back FROM events) WHERE back',
    )
    .pluck()
    .get();
  const found = {
    clockRegressions: clockRegressions ?? 0,
    outOfOrder:
      listedOutOfOrder(db, 'messages', 'created_at') + listedOutOfOrder(db, 'activities', 'timestamp'),
  };
  db.close();
  return found;
}

/** How many rows of a list (ordered by time, then id) come before one that was inserted earlier. */
function listedOutOfOrder(db: SqliteDatabase.Database, table: string, time: string): number {
  const rows = db.prepare<[], number>(`SELECT rowid FROM ${table} ORDER BY ${time}, id`).pluck().all();
  return rows.filter((row, place) => place > 0 && row < (rows[place - 1] ?? 0)).length;
}
