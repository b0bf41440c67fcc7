import { randomInt } from 'node:crypto';
import { dataFiles } from '../../src/config.ts';
import { serveGantry } from '../support/gantry-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { audit, type Findings } from './audit.ts';
import { burst, Poster } from './burst.ts';
import { Ledger } from './ledger.ts';
import { addPlayersTo, loadSettings } from './players.ts';

const connections = 32;

export interface CrashReport extends Findings {
  kills: number;
  connections: number;
  /** Acknowledged writes that the restarted server did not return. */
  readsMissing: number;
}

/**
 * Kills a real server with SIGKILL in the middle of a burst of writes, restarts it on its data, and audits it; then
 * again, on the same data, for the requested number of rounds.
 */
export async function killUnderLoad(
  rounds: number,
  onRound: (report: CrashReport) => void = () => {},
): Promise<CrashReport> {
  await using directory = await temporaryDirectory();
  const players = await addPlayersTo(directory.path, connections / 2);
  const posters = players.map((player) => new Poster(player));
  const ledger = new Ledger();
  const { database } = dataFiles(directory.path);
  let server = await serveGantry(directory.path, loadSettings);
  try {
    let readsMissing = 0;
    for (let kills = 1; ; kills++) {
      const killAt = ledger.answeredCount + randomInt(100, 800);
      for (const poster of posters) poster.hangUp(); // the server has closed its connection, if the audit took long
      const bursting = burst(server.url, posters, ledger);
      await Promise.race([
        until('the burst is under way', () => ledger.answeredCount >= killAt),
        bursting.then(() => Promise.reject(new Error('the server was gone before it was killed'))),
      ]);
      await server.end('SIGKILL');
      await bursting;
      server = await serveGantry(directory.path, loadSettings);
      readsMissing += await countMissingReads(server.url, posters, ledger);
      const report = { kills, connections, readsMissing, ...(await audit(database, ledger)) };
      onRound(report);
      if (kills === rounds) return report;
    }
  } finally {
    for (const poster of posters) poster.hangUp();
    await server[Symbol.asyncDispose]();
  }
}

/** Reads the last acknowledged score of each player, with the token from before the crash. */
async function countMissingReads(
  url: string,
  posters: readonly Poster[],
  { byKey }: Ledger,
): Promise<number> {
  const served = await Promise.all(
    posters.map(async (poster) => {
      const entries = byKey.get(`score ${poster.player.wallet} again`) ?? [];
      const last = entries.findLastIndex(({ answered }) => answered);
      if (last < 0) return true;
      const { body } = await poster.post(`${url}/launcher/get-user-scores`, { nonce: 'again' });
      const [score] = (body as { scores: { score: number }[] }).scores;
      return entries.slice(last).some(({ value }) => value === String(score?.score));
    }),
  );
  return served.filter((one) => !one).length;
}
