import { randomInt } from 'node:crypto';
import { newGameSecret } from '../../src/auth/game-secret.ts';
import { dataFiles, readConfig } from '../../src/config.ts';
import { Links } from '../../src/links.ts';
import { issueToken } from '../../src/operations/channel-sessions/issue-token.ts';
import { openWorkspace } from '../../src/workspace.ts';
import { addGame } from '../contracts/store/fixture.ts';
import { serveGantry } from '../support/gantry-process.ts';
import { post } from '../support/http.ts';
import { randomWallet } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { audit, type Findings } from './audit.ts';
import { burst } from './burst.ts';
import { Ledger, type Poster } from './ledger.ts';

const connections = 32;
/** Each connection is one player, who posts faster than any. */
const settings = { GANTRY_DEMO: 'off', RATE_LIMIT_FACTOR: '100000' };

export interface CrashReport extends Findings {
  rounds: number;
  connections: number;
  /** Answered writes that the restarted server did not give back when asked. */
  notServed: number;
}

/**
 * Kills a real server with SIGKILL in the middle of a burst of writes, starts it again on what it left
 * behind, and counts what is there; then again, on the same data, for as many rounds as wanted.
 */
export async function killUnderLoad(
  rounds: number,
  onRound: (report: CrashReport) => void = () => {},
): Promise<CrashReport> {
  await using directory = await temporaryDirectory();
  const posters = await prepare(directory.path);
  const ledger = new Ledger();
  const { database } = dataFiles(directory.path);
  let server = await serveGantry(directory.path, settings);
  try {
    let notServed = 0;
    for (let round = 1; ; round++) {
      const killAt = ledger.answeredCount + randomInt(300, 3_000);
      const bursting = burst(server.url, posters, ledger);
      await until('the burst is under way', () => ledger.answeredCount >= killAt, 60_000);
      await server.end('SIGKILL');
      await bursting;
      server = await serveGantry(directory.path, settings);
      notServed += await countNotServed(server.url, posters, ledger);
      const report = { rounds: round, connections, notServed, ...audit(database, ledger) };
      onRound(report);
      if (round === rounds) return report;
    }
  } finally {
    await server[Symbol.asyncDispose]();
  }
}

/** A game with one player for each connection, two and two of them in a message channel. */
async function prepare(dataDirectory: string): Promise<Poster[]> {
  const config = readConfig({ DATA_DIR: dataDirectory });
  const { store, tokens, box } = openWorkspace(config);
  const links = new Links(() => 'http://127.0.0.1');
  const { id: gameId } = await addGame(store, {}, box.sealSecret(newGameSecret()));
  const posters: Poster[] = [];
  for (let pair = 0; pair < connections / 2; pair++) {
    const [one, other] = [randomWallet(), randomWallet()];
    const details = await Promise.all(
      [one, other].map((wallet) => store.sessions.open({ gameId, wallet }, config.sessionLifetimeMs)),
    );
    const { _id: channelId } = await store.messageChannels.create({ gameId, wallet: one }, [other]);
    for (const each of details) {
      const launcherJwt = await issueToken(each, { tokens, links });
      posters.push({ wallet: each.session.wallet, launcherJwt, channelId });
    }
  }
  await store.close();
  return posters;
}

/** Asks for the score that was answered last to each poster, with the token from before the crash. */
async function countNotServed(url: string, posters: readonly Poster[], ledger: Ledger): Promise<number> {
  const served = await Promise.all(
    posters.map(async ({ launcherJwt, wallet }) => {
      const last = ledger.entries.findLast(
        (entry) => entry.answered && entry.kind === 'score' && entry.wallet === wallet,
      );
      if (!last) return true;
      const { body } = await post(`${url}/launcher/get-user-scores`, {
        launcherJwt,
        nonce: `n-${last.number}`,
      });
      const { scores } = body as { scores?: { score: number }[] };
      return scores?.[0]?.score === last.number;
    }),
  );
  return served.filter((one) => !one).length;
}
