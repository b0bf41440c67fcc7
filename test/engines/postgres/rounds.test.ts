import { describe, expect, test } from 'vitest';
import type { Owner } from '../../../src/core/schemas/owner.ts';
import type { Database } from '../../../src/core/storage/database.ts';
import { PostgresDatabase } from '../../../src/engines/postgres/postgres-database.ts';
import {
  addFriend,
  blockEverywhere,
  declineFriend,
  removeFriend,
  removeFriendsOf,
  trimFriendships,
} from '../../../src/features/friends/commands.ts';
import { sendInvites } from '../../../src/features/friends/invite-commands.ts';
import { block } from '../../../src/features/messages/blocks/commands.ts';
import { createChannel, leaveAllChannels } from '../../../src/features/messages/channel-commands.ts';
import { eraseMessagesOf, sendMessage } from '../../../src/features/messages/message-commands.ts';
import { addReactionTo, eraseReactionsOf } from '../../../src/features/messages/reaction-commands.ts';
import { notifySeveral } from '../../../src/features/notifications/commands.ts';
import { replaceRules } from '../../../src/features/rules/commands.ts';
import { givePrizes } from '../../../src/features/rules/prizes/commands.ts';
import { openPrizeRuns, readPrizeRun } from '../../../src/features/rules/prizes/queries.ts';
import { ruleList } from '../../../src/features/rules/rule.ts';
import { setScore } from '../../../src/features/scores/commands.ts';
import {
  addLeaderboard,
  clearRetiredSeason,
  endSeason,
} from '../../../src/features/scores/leaderboard-commands.ts';
import { setLeaderboardScore } from '../../../src/features/scores/leaderboard-score-commands.ts';
import { endSessionsOf, trimSessions } from '../../../src/features/sessions/commands.ts';
import { addWebhook, changeWebhook } from '../../../src/features/webhooks/commands.ts';
import { claimDeliveries } from '../../../src/features/webhooks/delivery-commands.ts';
import { runAll } from '../../../src/server/declarations/commands.ts';
import { domain } from '../../../src/server/declarations/domain.ts';
import { addGame, addPlayer, hour } from '../../contracts/storage/fixture.ts';
import { ask, befriend, fillFriends } from '../../contracts/storage/friend-pairs.ts';
import { noPostgres } from '../../support/postgres.ts';
import { freshSchema } from '../../support/postgres-schema.ts';
import { randomWallet } from '../../support/server.ts';

interface Scene {
  db: PostgresDatabase;
  gameId: string;
  players: readonly Owner[];
  /** The first of them. */
  ada: Owner;
}

/** Prepares a command, and returns a function that executes it. */
type Case = (scene: Scene) => Promise<(db: Database) => Promise<unknown>>;

/** A channel of two for each of the other players, each with a message of Ada's that she has reacted to. */
async function conversations({ db, ada, players }: Scene): Promise<void> {
  for (const { wallet } of players.slice(1)) {
    const { _id: channelId } = await db.write(createChannel, ada, [wallet]);
    const { _id: messageId } = await db.write(sendMessage, ada, channelId, 'Hello');
    await db.write(addReactionTo, ada, messageId, '👍');
  }
}

const claimTerms = { room: 64, perHost: 64, busyHosts: {}, leaseMs: 1_000 };

const cases: Readonly<Record<string, Case>> = {
  async 'a batch of scores'({ db, gameId, players }) {
    const calls = players.map((owner, at) => ({ command: 'setScore', args: [owner, at] }));
    await db.write(addWebhook, { gameId, url: 'https://example.com/all', filter: 'all', sealedSecret: '' });
    return (later) => later.write(runAll, players, calls);
  },
  async 'a notification for several'({ gameId, players }) {
    const wallets = players.map(({ wallet }) => wallet);
    return (later) => later.write(notifySeveral, gameId, wallets, { message: 'Hello', type: 'success' });
  },
  async 'a batch for new players'({ gameId, players }) {
    const owners = players.map(() => ({ gameId, wallet: randomWallet() }));
    const calls = owners.map((owner, at) => ({ command: 'setScore', args: [owner, at] }));
    return (later) => later.write(runAll, owners, calls);
  },
  async 'a notification for several new players'({ gameId, players }) {
    const wallets = players.map(() => randomWallet());
    return (later) => later.write(notifySeveral, gameId, wallets, { message: 'Hello', type: 'success' });
  },
  async 'deliveries given up'({ db, gameId, players }) {
    const webhook = { gameId, url: 'https://example.com/off', filter: 'all', sealedSecret: '' } as const;
    const { webhookId } = await db.write(addWebhook, webhook);
    for (const owner of players) await db.write(setScore, owner, 7);
    await db.write(changeWebhook, webhookId, { enabled: false });
    return (later) => later.write(claimDeliveries, 'node', [webhookId], claimTerms);
  },
  async 'deliveries claimed'({ db, gameId, ada, players }) {
    const webhookIds: string[] = [];
    for (const at of players.keys()) {
      const url = `https://${at}.example.com/`;
      webhookIds.push(
        (await db.write(addWebhook, { gameId, url, filter: 'all', sealedSecret: '' })).webhookId,
      );
    }
    await db.write(setScore, ada, 7);
    return (later) => later.write(claimDeliveries, 'node', webhookIds, claimTerms);
  },
  async 'places of a season cleared'({ db, gameId, players }) {
    const rules = { keep: 'best', order: 'desc', entries: 'player', public: true } as const;
    const leaderboard = { name: 'weekly', ...rules, labels: ['easy'], schedule: null, keepSeasons: 0 };
    await db.write(addLeaderboard, gameId, leaderboard);
    for (const owner of players) await db.write(setLeaderboardScore, owner, 'weekly', 7, { label: 'easy' });
    await db.write(endSeason, gameId, 'weekly');
    return (later) => later.write(clearRetiredSeason);
  },
  async 'prizes of a season'({ db, gameId, players }) {
    const rules = { keep: 'best', order: 'desc', entries: 'player', public: true } as const;
    const leaderboard = { name: 'weekly', ...rules, labels: [], schedule: null, keepSeasons: null };
    await db.write(addLeaderboard, gameId, leaderboard);
    const seasonEnd = { leaderboard: 'weekly', places: { to: players.length } };
    const actions = [
      { type: 'Notify', message: '{place}' },
      { type: 'UpdateScore', amount: 1, mode: 'add' },
    ];
    await db.write(replaceRules, gameId, ruleList.parse([{ trigger: 'prize', seasonEnd, actions }]));
    for (const owner of players) await db.write(setLeaderboardScore, owner, 'weekly', 7);
    await db.write(endSeason, gameId, 'weekly');
    const [run = ''] = await db.read(openPrizeRuns, 1);
    const winners = (await db.read(readPrizeRun, run, players.length))?.winners ?? [];
    const awards = winners.map((winner) => {
      return { winner, chain: { signers: {}, balances: {} }, states: [] };
    });
    return async (later) => expect(await later.write(givePrizes, awards)).toBe(players.length);
  },
  async 'sessions trimmed'() {
    return (later) => later.write(trimSessions, -24 * hour);
  },
  async 'sessions ended'({ db, gameId, ada, players }) {
    for (const _ of players) await addPlayer(db, gameId, ada.wallet);
    return (later) => later.write(endSessionsOf, ada.wallet, null, 'revoked');
  },
  async 'friends of an erased player removed'({ db, ada, players }) {
    for (const { wallet } of players.slice(1)) await befriend(db, ada.wallet, wallet);
    return (later) => later.write(removeFriendsOf, ada.wallet);
  },
  async 'friends and requests trimmed'({ db, players }) {
    for (const { wallet } of players) await db.write(fillFriends, wallet, 'sent', 1, 1);
    return (later) => later.write(trimFriendships);
  },
  async 'messages erased'(scene) {
    await conversations(scene);
    return (later) => later.write(eraseMessagesOf, scene.ada.wallet);
  },
  async 'reactions erased'(scene) {
    await conversations(scene);
    return (later) => later.write(eraseReactionsOf, scene.ada.wallet);
  },
  async 'channels left'(scene) {
    await conversations(scene);
    return (later) => later.write(leaveAllChannels, scene.ada.wallet);
  },
};

describe.skipIf(noPostgres !== null)(
  'the number of round trips of a command does not grow with its size',
  () => {
    test.each(Object.entries(cases))('%s', async (_, prepare) => {
      const few = await roundsOf(prepare, 3);
      expect(few).toBeGreaterThan(0);
      expect(await roundsOf(prepare, 20)).toBeLessThanOrEqual(few);
    });
  },
);

/** What a second player may have done to the first, which the first must not learn. */
const refusals: Readonly<Record<string, (db: Database, owner: Owner, ada: string) => Promise<unknown>>> = {
  'in every game': (db, owner, ada) => db.write(blockEverywhere, { ...owner, everywhere: true }, ada),
  'in the game': (db, owner, ada) => db.write(block, owner, ada),
  async 'by declining a request'(db, owner, ada) {
    await ask(db, ada, owner.wallet);
    await db.write(declineFriend, owner.wallet, ada);
    await db.write(removeFriend, ada, owner.wallet);
  },
};

describe.skipIf(noPostgres !== null)('the number of round trips does not tell a player', () => {
  test.each(Object.entries(refusals))(
    'who asks to be friends that the other refused it %s',
    async (_, refuse) => {
      const asked = (before: typeof refuse) =>
        roundsOf(async ({ db, gameId, ada, players: [, other = ada] }) => {
          await before(db, other, ada.wallet);
          const request = { wallet: other.wallet, hasCode: false, message: '', gameId };
          return (later) => later.write(addFriend, ada.wallet, request);
        }, 2);
      expect(await asked(refuse)).toBe(await asked(async () => undefined));
    },
  );

  test('who invites a friend to a game that the friend has blocked the player in it', async () => {
    const invited = (isBlocked: boolean) =>
      roundsOf(async ({ db, gameId, ada, players: [, other = ada] }) => {
        await befriend(db, ada.wallet, other.wallet);
        if (isBlocked) await db.write(block, other, ada.wallet);
        const invite = { gameId, connect: '', message: '' };
        return (later) => later.write(sendInvites, ada.wallet, [other.wallet], invite);
      }, 2);
    expect(await invited(true)).toBe(await invited(false));
  });
});

/** How many load rounds a command with `count` items takes. */
async function roundsOf(prepare: Case, count: number): Promise<number> {
  await using database = await freshSchema();
  const open = () => PostgresDatabase.open(database.url, domain);
  const before = await open();
  const { id: gameId } = await addGame(before);
  const players: Owner[] = [];
  for (let n = 0; n < count; n++) players.push(await addPlayer(before, gameId));
  const [ada] = players;
  if (!ada) throw new Error('there is no player');
  await before.write(setScore, ada, 1);
  const execute = await prepare({ db: before, gameId, players, ada });
  await before.close();
  // Reopened, so that nothing is cached.
  const db = await open();
  await execute(db);
  const { rounds } = await db.counts();
  await db.close();
  return rounds;
}
