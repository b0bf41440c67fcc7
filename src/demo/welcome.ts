import { isExecutable } from '../carried.ts';
import type { DemoEntrance } from './entrance.ts';

/**
 * What `serve` prints for a newcomer to go on with: every line works as it stands. `dataDirectory` is given where
 * it is not the one that a command would find by itself.
 */
export function welcome(url: string, demo: DemoEntrance, dataDirectory: string | null): string {
  const onIts = dataDirectory === null ? '' : `DATA_DIR=${asWord(dataDirectory)} `;
  return `
  Demo game    ${demo.gameId}
  Demo player  ${demo.username} ${demo.wallet}
  launcherJwt  ${demo.launcherJwt}

  Set a score:

    curl -s ${url}/launcher/set-user-score -H 'Content-Type: application/json' -d '{"launcherJwt":"${demo.launcherJwt}","score":1600}'

  See the leaderboard:

    curl -s ${url}/scores -H 'X-Service-Method: getGameScoresLeaderboard' -H 'Content-Type: application/json' -d '{"gameId":"${demo.gameId}"}'

  A token for another player:

    ${onIts}${thisProgram()} token --game ${demo.gameId} --wallet ${demo.otherWallet}

`;
}

/** How a shell calls this program once more. */
function thisProgram(): string {
  const [, script = ''] = process.argv;
  if (import.meta.url.endsWith('.ts')) return 'npm run -s gantry --';
  return asWord(isExecutable ? process.argv0 : script);
}

/** As a shell takes it for one word. */
function asWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
