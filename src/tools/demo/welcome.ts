import { isExecutable } from '../../runtime/embedded-assets.ts';
import type { DemoAccess } from './demo-access.ts';

/**
 * The welcome message of `serve`; every command in it can be pasted into a shell. `dataDirectory` is null when
 * commands find it by default.
 */
export function welcome(url: string, demo: DemoAccess, dataDirectory: string | null): string {
  const environment = dataDirectory === null ? '' : `DATA_DIR=${shellQuote(dataDirectory)} `;
  return `
  Demo game    ${demo.gameId}
  Demo player  ${demo.username} ${demo.wallet}
  launcherJwt  ${demo.launcherJwt}

  Set a score:

    curl -s ${url}/launcher/set-user-score -H 'Content-Type: application/json' -d '{"launcherJwt":"${demo.launcherJwt}","score":1600}'

  Read the leaderboard:

    curl -s ${url}/scores -H 'X-Service-Method: getGameScoresLeaderboard' -H 'Content-Type: application/json' -d '{"gameId":"${demo.gameId}"}'

  Create a token for another player:

    ${environment}${thisProgram()} token --game ${demo.gameId} --wallet ${demo.otherWallet}

`;
}

/** The shell command that runs this program. */
function thisProgram(): string {
  const [, script = ''] = process.argv;
  if (import.meta.url.endsWith('.ts')) return 'npm run -s gantry --';
  return shellQuote(isExecutable ? process.argv0 : script);
}

/** Quotes a text as one shell word. */
function shellQuote(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
