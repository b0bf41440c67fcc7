import { issueToken } from '../operations/channel-sessions/issue-token.ts';
import type { RunningServer } from '../server.ts';
import type { SessionDetails, Store } from '../store/store.ts';
import { demoPlayers, demoSlug } from './demo-data.ts';

/** A token printed at start should outlast the first look around. */
const worthPrintingMs = 60 * 60 * 1000;

/** What a newcomer needs to go on: printed at every start while the demo game is there. */
export async function welcome({ url, services }: RunningServer): Promise<string> {
  const game = await services.store.games.findBySlug(demoSlug);
  const [player] = demoPlayers;
  if (!game || !player) return '';
  const details = await sessionOf(
    services.store,
    { gameId: game.id, wallet: player.wallet },
    services.sessionLifetimeMs,
  );
  const launcherJwt = await issueToken(details, services);
  return `
  Demo game    ${game.id}
  Demo player  ${player.username} ${player.wallet}
  launcherJwt  ${launcherJwt}

  Set a score:

    curl -s ${url}/launcher/set-user-score -H 'Content-Type: application/json' -d '{"launcherJwt":"${launcherJwt}","score":1600}'

  See the leaderboard:

    curl -s ${url}/scores -H 'X-Service-Method: getGameScoresLeaderboard' -H 'Content-Type: application/json' -d '{"gameId":"${game.id}"}'

  A token for another player:

    npm run -s gantry -- token --game ${game.id} --wallet ${demoPlayers[1]?.wallet ?? player.wallet}

`;
}

/** The player's session of an earlier start while it lasts, so that starting often does not pile them up. */
async function sessionOf(
  store: Store,
  owner: { gameId: string; wallet: string },
  lifetimeMs: number,
): Promise<SessionDetails> {
  const live = await store.sessions.listLive(owner.wallet);
  const lasting = live.find(
    ({ session }) => session.gameId === owner.gameId && session.expiresAt > Date.now() + worthPrintingMs,
  );
  return lasting ?? store.sessions.open(owner, lifetimeMs);
}
