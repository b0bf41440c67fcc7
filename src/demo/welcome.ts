import { isExecutable } from '../carried.ts';
import type { DemoEntrance } from './entrance.ts';

/** What `serve` prints for a newcomer to go on with: every line works as it stands. */
export function welcome(url: string, demo: DemoEntrance): string {
  return `
  Demo game    ${demo.gameId}
  Demo player  ${demo.username} ${demo.wallet}
  launcherJwt  ${demo.launcherJwt}

  Set a score:

    curl -s ${url}/launcher/set-user-score -H 'Content-Type: application/json' -d '{"launcherJwt":"${demo.launcherJwt}","score":1600}'

  See the leaderboard:

    curl -s ${url}/scores -H 'X-Service-Method: getGameScoresLeaderboard' -H 'Content-Type: application/json' -d '{"gameId":"${demo.gameId}"}'

  A token for another player:

    ${thisProgram()} token --game ${demo.gameId} --wallet ${demo.otherWallet}

`;
}

/** How a shell calls this program once more. */
function thisProgram(): string {
  const [, script = ''] = process.argv;
  if (import.meta.url.endsWith('.ts')) return 'npm run -s gantry --';
  const called = isExecutable ? process.argv0 : script;
  return /^[\w./-]+$/.test(called) ? called : `'${called.replaceAll("'", "'\\''")}'`;
}
