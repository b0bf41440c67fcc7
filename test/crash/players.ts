import { readConfig } from '../../src/config.ts';
import { PublicUrls } from '../../src/core/public-urls.ts';
import type { Store } from '../../src/core/storage/store.ts';
import { newGameSecret, type SecretBox } from '../../src/features/games/game-secret.ts';
import { createChannel } from '../../src/features/messages/channel-commands.ts';
import { replaceRules } from '../../src/features/rules/commands.ts';
import { ruleList } from '../../src/features/rules/rule.ts';
import { startSession } from '../../src/features/sessions/commands.ts';
import type { LauncherTokens } from '../../src/features/sessions/launcher-token.ts';
import { issueToken } from '../../src/features/sessions/new-session.ts';
import { openStore } from '../../src/server/open-store.ts';
import { addGame } from '../contracts/storage/fixture.ts';
import { randomWallet } from '../support/server.ts';

/** The player who sends on one of the connections. */
export interface Player {
  wallet: string;
  launcherJwt: string;
  /** This player's message channel. */
  channelId: string;
}

/** The rule's effects, in one transaction with the trigger. */
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

/** Settings for every write of the load at full speed, with every event kept, and only the load's data. */
export const loadSettings = {
  GANTRY_DEMO: 'off',
  RATE_LIMIT_FACTOR: '100000',
  STORAGE_QUOTA_MEGABYTES: '1048576',
  EVENT_RETENTION_COUNT: '100000000',
};

/** A game with a rule and the given number of players, in pairs that share a message channel. */
export async function addPlayers(
  { db, tokens, box }: { db: Store; tokens: LauncherTokens; box: SecretBox },
  pairs: number,
): Promise<Player[]> {
  const { sessionLifetimeMs } = readConfig({});
  const publicUrls = new PublicUrls(() => 'http://127.0.0.1');
  const { id: gameId } = await addGame(db, {}, box.sealSecret(newGameSecret()));
  await db.write(replaceRules, gameId, rules);
  const players: Player[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    const [one, other] = [randomWallet(), randomWallet()];
    const details = await Promise.all(
      [one, other].map((wallet) => db.write(startSession, { gameId, wallet }, sessionLifetimeMs)),
    );
    const { _id: channelId } = await db.write(createChannel, { gameId, wallet: one }, [other]);
    for (const each of details) {
      const launcherJwt = await issueToken(each, { tokens, publicUrls });
      players.push({ wallet: each.session.wallet, launcherJwt, channelId });
    }
  }
  return players;
}

/** The same in a data directory that no server has opened yet. */
export async function addPlayersTo(dataDirectory: string, pairs: number): Promise<Player[]> {
  const workspace = await openStore(readConfig({ DATA_DIR: dataDirectory }));
  try {
    return await addPlayers(workspace, pairs);
  } finally {
    await workspace.db.close();
  }
}
