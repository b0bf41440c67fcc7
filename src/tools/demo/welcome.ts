import { commandOn, shellQuote } from '../../core/command-hint.ts';
import { isExecutable } from '../../runtime/embedded-assets.ts';
import type { DemoAccess, DemoGame } from './demo-access.ts';

/** Where a person goes next. */
export interface Addresses {
  /** The server's address in a browser, without a trailing slash. */
  base: string;
  /** Signs in to the console, once. */
  consoleLink: string;
}

/**
 * The welcome message of `serve`: where to go, and how a game begins. Its command can be pasted into a shell;
 * `dataDirectory` is null with `DATABASE_URL`.
 */
export function welcome(
  { base, consoleLink }: Addresses,
  demo: DemoGame | null,
  dataDirectory: string | null,
): string {
  const addresses = `
  Play       ${base}/play
  Console    ${consoleLink}  (signs in once, within ten minutes)
  Docs       ${base}/docs
`;
  if (!demo) return addresses;
  const module = `'${base}/client.js'`;
  const token = `${thisProgram()} token --game ${demo.slug} --wallet ${demo.wallet}`;
  return `${addresses}
  Demo game  ${demo.gameId}  (slug: ${demo.slug})

  A game begins with three lines on a page of yours:

    import { connect } from ${module};
    const client = await connect({ url: '${base}', game: '${demo.slug}' });
    await client.api.setUserScore({ score: 1200 });

  A token to try calls with, for the demo's player ${demo.username}:

    ${commandOn(dataDirectory, token)}

`;
}

/** Printed by `demo` in addition: a token, and calls with it that can be pasted into a shell. */
export function demoCalls(base: string, { gameId, launcherJwt }: DemoAccess): string {
  return `  launcherJwt  ${launcherJwt}

  Set a score:

    curl -s ${base}/launcher/set-user-score -H 'Content-Type: application/json' -d '{"launcherJwt":"${launcherJwt}","score":1600}'

  Read the leaderboard:

    curl -s ${base}/scores -H 'X-Service-Method: getGameScoresLeaderboard' -H 'Content-Type: application/json' -d '{"gameId":"${gameId}"}'

`;
}

/** The shell command that runs this program. */
function thisProgram(): string {
  const [, script = ''] = process.argv;
  if (import.meta.url.endsWith('.ts')) return 'npm run -s gantry --';
  return shellQuote(isExecutable ? process.argv0 : script);
}
