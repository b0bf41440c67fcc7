import { newGameSecret, type SecretBox } from '../../src/auth/game-secret.ts';
import type { LauncherTokens } from '../../src/auth/launcher-token.ts';
import { readConfig } from '../../src/config.ts';
import { Links } from '../../src/links.ts';
import { issueToken } from '../../src/operations/channel-sessions/issue-token.ts';
import { ruleList } from '../../src/rules/rule.ts';
import type { Store } from '../../src/store/store.ts';
import { openWorkspace } from '../../src/workspace.ts';
import { addGame } from '../contracts/store/fixture.ts';
import { randomWallet } from '../support/server.ts';

/** Who posts on one of the connections. */
export interface Player {
  wallet: string;
  launcherJwt: string;
  /** The message channel this player writes to. */
  channelId: string;
}

/** What the rule of the game leaves behind, in one transaction with the trigger. */
export const wins = { trigger: 'win', label: 'won {nonce}', eventId: 'wins', nonce: 'wins' };

const rules = ruleList.parse([
  {
    trigger: wins.trigger,
    actions: [
      { type: 'Notify', message: wins.label },
      { type: 'SendCustomActivity', label: wins.label, eventId: wins.eventId },
      { type: 'UpdateScore', mode: 'add', amount: 1, nonce: wins.nonce },
    ],
  },
]);

/** Every write of the load as fast as it comes, no event forgotten, and nothing in the data but the load's. */
export const loadSettings = {
  GANTRY_DEMO: 'off',
  RATE_LIMIT_FACTOR: '100000',
  EVENT_RETENTION_COUNT: '100000000',
};

/** A game with a rule and so many players, two and two of them in a message channel. */
export async function addPlayers(
  { store, tokens, box }: { store: Store; tokens: LauncherTokens; box: SecretBox },
  pairs: number,
): Promise<Player[]> {
  const { sessionLifetimeMs } = readConfig({});
  const links = new Links(() => 'http://127.0.0.1');
  const { id: gameId } = await addGame(store, {}, box.sealSecret(newGameSecret()));
  await store.rules.set(gameId, rules);
  const players: Player[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    const [one, other] = [randomWallet(), randomWallet()];
    const details = await Promise.all(
      [one, other].map((wallet) => store.sessions.open({ gameId, wallet }, sessionLifetimeMs)),
    );
    const { _id: channelId } = await store.messageChannels.create({ gameId, wallet: one }, [other]);
    for (const each of details) {
      const launcherJwt = await issueToken(each, { tokens, links });
      players.push({ wallet: each.session.wallet, launcherJwt, channelId });
    }
  }
  return players;
}

/** The same in a data directory that no server has opened yet. */
export async function addPlayersTo(dataDirectory: string, pairs: number): Promise<Player[]> {
  const workspace = openWorkspace(readConfig({ DATA_DIR: dataDirectory }));
  try {
    return await addPlayers(workspace, pairs);
  } finally {
    await workspace.store.close();
  }
}
