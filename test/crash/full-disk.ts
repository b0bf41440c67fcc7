import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataFiles } from '../../src/config.ts';
import { serveGantry } from '../support/gantry-process.ts';
import { get } from '../support/http.ts';
import { connectLauncher } from '../support/launcher.ts';
import { smallDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';
import { audit, type Findings, isComplete } from './audit.ts';
import { type Answer, burst, Poster } from './burst.ts';
import { Ledger } from './ledger.ts';
import { addPlayersTo, loadSettings } from './players.ts';

const connections = 16;
const mebibyte = 1024 * 1024;
const diskMebibytes = 256;
/** Before that, the disk is nearly full. */
const isFull = /data directory is full/;
/** The free space for the load to fill. */
const freeBytes = 2 * mebibyte;
/** In every state, so that the disk fills up soon. */
const fillerBytes = 60_000;
const resumesWithinMs = 5_000;

export interface FullDiskReport extends Findings {
  /** How many times the disk was full. */
  rounds: number;
  /** Writes that were refused meanwhile, each with 503 `store_unavailable`. */
  refused: number;
  /** Writes that failed in any other way. */
  refusedOtherwise: number;
  /** Reads while the disk was full, and the failed ones among them. */
  reads: number;
  readsFailed: number;
  /** Sockets that were connected throughout, and of these the disconnected ones. */
  sockets: number;
  socketsCut: number;
  /** The number of events that a socket should have received in total, and did not. */
  eventsMissed: number;
  /** The longest time from the space being freed to the first acknowledged write, in milliseconds. */
  slowestResumeMs: number;
  /** The response of `/readyz` with the disk full. */
  readiness: string;
  /** Rounds after which `/readyz` did not return "ready" again automatically. */
  notReadyAgain: number;
}

/** Whether a full disk had no effect besides the refused writes. */
export function endures(report: FullDiskReport): boolean {
  const faults =
    report.refusedOtherwise +
    report.readsFailed +
    report.socketsCut +
    report.eventsMissed +
    report.notReadyAgain;
  return isComplete(report) && faults === 0 && report.slowestResumeMs <= resumesWithinMs;
}

/**
 * Fills the disk under a real server that executes writes of every kind, checks its responses, frees space again
 * without touching the server, and audits the data; as often as requested, and then after a restart.
 */
export async function fullDisk(
  rounds: number,
  onRound: (report: FullDiskReport) => void = () => {},
): Promise<FullDiskReport> {
  await using disk = await smallDisk(diskMebibytes);
  const dataDirectory = join(disk.path, 'data');
  const ballast = join(disk.path, 'ballast');
  const players = await addPlayersTo(dataDirectory, connections / 2);
  const posters = players.map((player) => new Poster(player, fillerBytes));
  const ledger = new Ledger();
  await using server = await serveGantry(dataDirectory, { ...loadSettings, LOG_LEVEL: 'silent' });
  const launchers = await Promise.all(players.map((player) => connectLauncher(server.url, { ...player })));
  const { database } = dataFiles(dataDirectory);
  const report: FullDiskReport = {
    rounds: 0,
    refused: 0,
    refusedOtherwise: 0,
    reads: 0,
    readsFailed: 0,
    sockets: launchers.length,
    socketsCut: 0,
    eventsMissed: 0,
    slowestResumeMs: 0,
    readiness: '',
    notReadyAgain: 0,
    ...(await audit(database, ledger)),
  };
  const count = ({ status, body }: Answer): void => {
    const { data } = body as { data?: { reason?: string } };
    if (status === 503 && data?.reason === 'store_unavailable') report.refused++;
    else if (status !== 200) report.refusedOtherwise++;
  };
  const writeUntil = (isEnough: () => boolean) =>
    Promise.all(
      posters.map(async (poster) => {
        while (!isEnough()) {
          const answer = await poster.writeNext(server.url, ledger);
          if (!answer) throw new Error('the server has ended');
          count(answer);
        }
      }),
    );
  const readAll = () =>
    Promise.all(
      posters.map(async (poster) => {
        const { status } = await poster.post(`${server.url}/launcher/get-states`, {});
        report.reads++;
        if (status !== 200) report.readsFailed++;
      }),
    );
  // A separate connection each: the server closes one that idles while the audit keeps this process busy.
  const readiness = async () =>
    (await get(`${server.url}/readyz`, { Connection: 'close' })).body as { status: string; reason?: string };

  while (report.rounds < rounds) {
    for (const poster of posters) poster.hangUp(); // the server has closed its connection, if the audit took long
    const { bavail, bsize } = statfsSync(disk.path);
    writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - freeBytes)));
    const before = report.refused;
    let reason = '';
    await Promise.all([
      writeUntil(() => report.refused >= before + 200 && isFull.test(reason)),
      // While they are refused: a write that still finds space makes it ready again for a moment.
      until('readiness says why', async () => {
        reason = (await readiness()).reason ?? '';
        return isFull.test(reason);
      }),
    ]);
    report.readiness = reason;
    await readAll();
    rmSync(ballast);
    const freedAt = performance.now();
    const answered = ledger.answeredCount;
    await until('a write is answered with success', async () => {
      await posters[0]?.writeNext(server.url, ledger);
      return ledger.answeredCount > answered;
    });
    report.slowestResumeMs = Math.max(report.slowestResumeMs, Math.round(performance.now() - freedAt));
    const isReady = async () => (await readiness()).status === 'ready';
    report.notReadyAgain += await until('ready', isReady, resumesWithinMs).then(
      () => 0,
      () => 1,
    );
    const goal = ledger.answeredCount + 200;
    await burst(server.url, posters, ledger, () => ledger.answeredCount >= goal);
    report.rounds++;
    Object.assign(report, await audit(database, ledger));
    report.socketsCut = launchers.filter(({ socket }) => !socket.connected).length;
    onRound(report);
  }
  report.eventsMissed = await countMissedEvents(launchers, ledger);
  for (const launcher of launchers) launcher[Symbol.dispose]();
  for (const poster of posters) poster.hangUp();
  await server.end('SIGKILL');
  await (await serveGantry(dataDirectory, loadSettings)).end('SIGTERM');
  return Object.assign(report, await audit(database, ledger));
}

/** Every stored message was received by two launchers, its channel's. */
async function countMissedEvents(
  launchers: readonly { received: { name: string; record: Record<string, unknown> }[] }[],
  { byKey }: Ledger,
): Promise<number> {
  const sent = [...byKey].flatMap(([key, entries]) =>
    key.startsWith('message ') && entries[0]?.answered ? [key] : [],
  );
  const missing = () => {
    const received = new Map<unknown, number>();
    for (const { name, record } of launchers.flatMap((launcher) => launcher.received)) {
      if (name === 'chat-messages created')
        received.set(record.content, (received.get(record.content) ?? 0) + 1);
    }
    return sent.filter((content) => received.get(content) !== 2).length;
  };
  return until('all is received', () => missing() === 0).then(() => 0, missing);
}
