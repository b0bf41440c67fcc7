import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteFile from 'better-sqlite3';
import pg from 'pg';
import { expect, test } from 'vitest';
import { schemaVersion } from '../../src/engines/postgres/migrate.ts';
import { latestSchema } from '../../src/engines/sqlite/migrate.ts';
import { recordActivity } from '../../src/features/activities/commands.ts';
import { createChannel } from '../../src/features/messages/channel-commands.ts';
import { sendMessage } from '../../src/features/messages/message-commands.ts';
import { notifyPlayer } from '../../src/features/notifications/commands.ts';
import { kebabCase } from '../../src/features/operation.ts';
import { setProfile } from '../../src/features/players/commands.ts';
import { setScore } from '../../src/features/scores/commands.ts';
import { saveState } from '../../src/features/states/commands.ts';
import { post } from '../support/http.ts';
import { freshDatabase, noPostgres } from '../support/postgres.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { gameId as gameOfVersion, makeDatabase, walletOf } from './database-of-version.ts';
import { growDatabase } from './postgres-of-version.ts';

const players = 12;
const secretKey = 'e7'.repeat(32);

/** It is encrypted with no key that a server could have. */
const withoutSecret = 'DELETE FROM game_secrets';

/** The first schema, one in the middle, and the one before the last. */
const versionsOf = (latest: number) => [1, Math.floor(latest / 2), latest - 1];

/** Writes what `makeDatabase` and `growDatabase` insert, as players do. */
async function fill({ createGame, services: { db } }: TestServer): Promise<string> {
  const { gameId } = await createGame({ name: 'Race', slug: 'race' });
  for (let player = 0; player < players; player++) {
    const owner = { gameId, wallet: walletOf(player) };
    await db.write(setScore, owner, player, `nonce-${player}`);
    await db.write(setProfile, owner.wallet, { username: `Player ${player}` });
    await db.write(saveState, owner, 'save', `{"level":${player}}`, 'cid');
    await db.write(recordActivity, owner, { label: 'won', eventId: 'w' });
    await db.write(notifyPlayer, owner, { message: 'Hello', type: 'success' });
  }
  const first = { gameId, wallet: walletOf(0) };
  const { _id: channelId } = await db.write(createChannel, first, [walletOf(1)]);
  await db.write(sendMessage, first, channelId, 'Hello');
  return gameId;
}

/**
 * What a server answers of the main things that players read, without ids and times, and without permissions: nobody in
 * the channel of `makeDatabase` has those of its creator.
 */
async function answersOf(server: TestServer, gameId: string) {
  const own = async (player: number) => ({
    launcherJwt: (await server.openSession(gameId, walletOf(player))).launcherJwt,
  });
  const [first, ninth] = [await own(0), await own(9)];
  const call = async (name: string, input: object) => {
    const { status, body } = await post(`${server.url}/launcher/${kebabCase(name)}`, input);
    expect({ name, status }).toEqual({ name, status: 200 });
    return body;
  };
  const channels = await call('getMessageChannels', { ...first, withUnread: true });
  const channelId: unknown = Object(channels).data[0]._id;
  const answers = {
    score: await call('getUserScore', { ...ninth, nonce: 'nonce-9' }),
    scores: await call('getUserScores', ninth),
    leaderboard: await call('getGameScoresLeaderboard', { gameId, limit: 5, skip: 2 }),
    position: await call('getUsersPositionInGameScoreLeaderboard', { gameId, wallet: walletOf(9) }),
    around: await call('getLeaderboardAround', { gameId, wallet: walletOf(9) }),
    among: await call('getLeaderboardAmong', { gameId, wallets: [walletOf(0), walletOf(9)] }),
    states: await call('getStates', ninth),
    channels,
    messages: await call('getChannelMessages', { ...first, channelId }),
    notifications: await call('listNotifications', ninth),
    activities: await (await fetch(`${server.url}/activities?gameId=${gameId}`)).json(),
  };
  const text = JSON.stringify(answers, (key, value) =>
    value !== null && /^_?id$|(?<!event)Id$|At$|^(timestamp|ipfsHash|permissions)$/.test(key)
      ? `<${typeof value}>`
      : value,
  );
  return JSON.parse(text.replaceAll(server.url, '<url>'));
}

test('a server on an upgraded SQLite database answers as one on a new database with the same data', async () => {
  await using fresh = await startTestServer();
  const expected = await answersOf(fresh, await fill(fresh));
  expect(expected.leaderboard.leaderboard).toHaveLength(5);
  for (const version of versionsOf(latestSchema)) {
    await using directory = await temporaryDirectory();
    for (const keys of ['secret.key', 'token-keys.json'])
      copyFileSync(join(fresh.config.dataDirectory, keys), join(directory.path, keys));
    const file = join(directory.path, 'gantry.db');
    makeDatabase(file, version, players);
    const db = new SqliteFile(file);
    db.exec(withoutSecret);
    db.close();
    await using server = await startTestServer({ DATA_DIR: directory.path });
    expect(await answersOf(server, gameOfVersion), `from ${version}`).toEqual(expected);
  }
});

test.skipIf(noPostgres !== null)('and so does one on PostgreSQL', async () => {
  const start = (url: string) => startTestServer({ DATABASE_URL: url, GANTRY_SECRET_KEY: secretKey });
  await using database = await freshDatabase();
  await using fresh = await start(database.url);
  const expected = await answersOf(fresh, await fill(fresh));
  await using growing = await growDatabase(players);
  for (const version of versionsOf(schemaVersion)) {
    await using copy = await growing.copyOf(version);
    const client = new pg.Client({ connectionString: copy.url });
    await client.connect();
    await client.query(withoutSecret);
    await client.end();
    await using server = await start(copy.url);
    expect(await answersOf(server, gameOfVersion), `from ${version}`).toEqual(expected);
  }
});
