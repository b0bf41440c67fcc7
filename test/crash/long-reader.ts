import { statSync } from 'node:fs';
import { dataFiles } from '../../src/config.ts';
import { serveGantry } from '../support/gantry-process.ts';
import { get } from '../support/http.ts';
import { holdView } from '../support/other-connection.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { audit, type Findings, isComplete } from './audit.ts';
import { Poster } from './burst.ts';
import { Ledger } from './ledger.ts';
import { addPlayersTo, loadSettings } from './players.ts';

const connections = 16;
const mebibyte = 1024 * 1024;
/** In every state, so that the log grows. */
const fillerBytes = 100_000;
/** The size that the log is truncated to. */
const logLimitBytes = 64 * mebibyte;
/** The size at which the server should report that the log grows. */
const reportedLogBytes = 256 * mebibyte;
const shrinksWithinMs = 5_000;
const longestStallMs = 250;

export interface LongReaderOptions {
  /** The minimum time the reader keeps its snapshot, in milliseconds, */
  heldMs: number;
  /** and until the write-ahead log has this size. */
  logBytes: number;
}

export interface LongReaderReport extends Findings {
  heldSeconds: number;
  /** Writes acknowledged while the reader kept its snapshot. */
  acknowledgedMeanwhile: number;
  /** Failed writes. */
  refused: number;
  logMebibytes: number;
  /** The size of the log 5 s after the reader released it, with the load continuing. */
  logMebibytesAfter: number;
  /** The slowest of the writes before, during and after the read, in milliseconds. */
  slowestMs: { before: number; meanwhile: number; after: number };
  /** What `/readyz` reported about the log; empty when it did not grow beyond the threshold. */
  reported: string;
  readyAgain: boolean;
}

/** Whether writes continued, none was refused, and the log grew only during the read. */
export function outlasts(report: LongReaderReport): boolean {
  return (
    isComplete(report) &&
    report.refused === 0 &&
    report.acknowledgedMeanwhile > 0 &&
    report.logMebibytesAfter <= logLimitBytes / mebibyte &&
    (report.logMebibytes * mebibyte < reportedLogBytes || report.reported !== '') &&
    report.readyAgain
  );
}

/** Whether, in addition, no write took long, which depends on the machine: 250 ms on an idle one. */
export function isSteady({ slowestMs }: LongReaderReport): boolean {
  return Math.max(slowestMs.meanwhile, slowestMs.after) <= longestStallMs;
}

/** Has another process read a server's database in one long transaction, while the server executes writes. */
export async function longReader({ heldMs, logBytes }: LongReaderOptions): Promise<LongReaderReport> {
  await using directory = await temporaryDirectory();
  const players = await addPlayersTo(directory.path, connections / 2);
  const posters = players.map((player) => new Poster(player, fillerBytes));
  const ledger = new Ledger();
  const { database } = dataFiles(directory.path);
  const logSize = () => statSync(`${database}-wal`).size;
  await using server = await serveGantry(directory.path, { ...loadSettings, LOG_LEVEL: 'silent' });
  const readiness = async () =>
    (await get(`${server.url}/readyz`)).body as { status: string; reason?: string };

  const slowestMs = { before: 0, meanwhile: 0, after: 0 };
  let phase: keyof typeof slowestMs | 'warming up' = 'warming up';
  let refused = 0;
  let isOver = false;
  const load = Promise.all(
    posters.map(async (poster) => {
      while (!isOver) {
        const requested = { at: performance.now(), phase };
        const answer = await poster.writeNext(server.url, ledger);
        if (answer?.status !== 200) refused++;
        if (requested.phase === 'warming up') continue;
        slowestMs[requested.phase] = Math.max(
          slowestMs[requested.phase],
          Math.round(performance.now() - requested.at),
        );
      }
    }),
  );
  await until('the load is under way', () => ledger.answeredCount > 300);
  phase = 'before';
  await until('there is a baseline', () => ledger.answeredCount > 3_000);

  const reader = holdView(database);
  phase = 'meanwhile';
  const heldAt = performance.now();
  const answeredBefore = ledger.answeredCount;
  await until(
    'the log has grown',
    () => performance.now() - heldAt >= heldMs && logSize() >= logBytes,
    heldMs + 300_000,
  );
  const reported = (await readiness()).reason ?? '';
  const logMebibytes = Math.round(logSize() / mebibyte);
  const acknowledgedMeanwhile = ledger.answeredCount - answeredBefore;
  reader[Symbol.dispose]();
  const releasedAt = performance.now();
  const heldSeconds = Math.round((releasedAt - heldAt) / 1_000);
  phase = 'after';
  await until('the log has shrunk', () => logSize() <= logLimitBytes, shrinksWithinMs).catch(() => null);
  const logMebibytesAfter = Math.round(logSize() / mebibyte);
  const readyAgain = await until(
    'ready',
    async () => (await readiness()).status === 'ready',
    shrinksWithinMs,
  ).then(
    () => true,
    () => false,
  );
  isOver = true;
  await load;
  for (const poster of posters) poster.hangUp();
  await server.end('SIGKILL');
  const findings = await audit(database, ledger);
  return {
    heldSeconds,
    acknowledgedMeanwhile,
    refused,
    logMebibytes,
    logMebibytesAfter,
    slowestMs,
    reported,
    readyAgain,
    ...findings,
  };
}
