import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { dataFiles } from '../../src/config.ts';
import { movedTables } from '../../src/store/sqlite/game-transfer.ts';
import { migrate } from '../../src/store/sqlite/migrate.ts';
import { type Finished, gantry, gantryJson, serveGantry } from '../support/gantry-process.ts';
import { post } from '../support/http.ts';
import { startTestServer, type TestPlayer } from '../support/server.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';

vi.setConfig({ testTimeout: 60_000 });

interface Filled {
  directory: TemporaryDirectory;
  data: string;
  other: string;
  file: string;
  gameId: string;
  gameSecret: string;
  ada: TestPlayer;
  bob: TestPlayer;
}

/** A game in which everything has happened once, in a data directory nobody has open, beside another game. */
async function filled(): Promise<Filled> {
  const directory = await temporaryDirectory();
  const data = join(directory.path, 'data');
  await using server = await startTestServer({ DATA_DIR: data });
  const { store } = server.services;
  await server.createGame({ name: 'Another' });
  const { gameId, gameSecret } = await server.createGame({ name: 'Space Race' });
  const [ada, bob] = [await server.openSession(gameId), await server.openSession(gameId)];
  await store.players.setProfile(ada.wallet, { username: 'Ada' });
  const rules = [
    { trigger: 'win', actions: [{ type: 'Notify', message: 'Won', notificationType: 'success' }] },
  ];
  await post(
    `${server.url}/admin/set-rules`,
    { gameId, rules },
    { Authorization: `Bearer ${server.adminToken}` },
  );
  const call = async (player: TestPlayer, path: string, input: object) => {
    const { status, body } = await post(`${server.url}/launcher/${path}`, {
      launcherJwt: player.launcherJwt,
      ...input,
    });
    expect(status, JSON.stringify(body)).toBe(200);
    return z.looseObject({}).parse(body);
  };
  for (const score of [5, 30, 12]) await call(ada, 'set-user-score', { score, nonce: `n-${score}` });
  await call(bob, 'set-user-score', { score: 20 });
  await call(ada, 'set-state', { label: 'save', state: '{"level":3,"name":"é\\u2028"}' });
  await call(ada, 'track-game-sessions', { sessionId: crypto.randomUUID(), state: '{}' });
  await call(ada, 'send-custom-activity', { label: '{username} won', eventId: 'w' });
  await call(ada, 'send-notification', { message: 'Hello', type: 'success' });
  await call(ada, 'trigger-rules-engine', { trigger: 'win', nonce: 't' });
  const { _id: channelId } = await call(ada, 'create-message-channel', { otherParticipants: [bob.wallet] });
  await call(ada, 'send-channel-message', { channelId, content: 'One more round?' });
  await call(bob, 'send-channel-message', { channelId, content: 'Yes' });
  const waiting = { kind: 'nobody', type: 'Webhook', gameId, payload: {} };
  await store.actions.enqueue([waiting]);
  const { wallet: cheater } = await server.openSession(gameId);
  await store.players.ban(cheater, gameId, 'cheating');
  await server.close();
  const [other, file] = [join(directory.path, 'other'), join(directory.path, 'race.ndjson')];
  return { directory, data, other, file, gameId, gameSecret, ada, bob };
}

/** What players and the public see of a game on a server. */
async function seen(url: string, { gameId, ada, bob }: Filled, tokens: Record<string, string>) {
  const read = async (path: string, input: object) => (await post(`${url}/launcher/${path}`, input)).body;
  const of = (player: TestPlayer) => ({ launcherJwt: tokens[player.wallet] ?? player.launcherJwt });
  const channels = await read('get-message-channels', of(bob));
  const [channel] = z.object({ data: z.array(z.looseObject({ _id: z.string() })) }).parse(channels).data;
  return {
    board: await read('get-game-scores-leaderboard', { gameId }),
    position: await read('get-users-position-in-game-score-leaderboard', { gameId, wallet: bob.wallet }),
    scores: await read('get-user-scores', of(ada)),
    states: await read('get-states', of(ada)),
    activities: await read('get-activities', { gameId }),
    channels,
    messages: await read('get-channel-messages', { ...of(bob), channelId: channel?._id }),
  };
}

async function seenIn(data: string, game: Filled) {
  const tokens: Record<string, string> = {};
  for (const { wallet } of [game.ada, game.bob]) {
    const opened = await gantryJson(['token', '--game', game.gameId, '--wallet', wallet], data);
    tokens[wallet] = z.object({ launcherJwt: z.string() }).parse(opened).launcherJwt;
  }
  await using server = await serveGantry(data, { GANTRY_DEMO: 'off', PUBLIC_URL: 'http://same.example' });
  return { url: server.url, all: await seen(server.url, game, tokens) };
}

const run = (args: string[], data: string) => gantry(args, { env: { DATA_DIR: data } });

function expectRefused({ code, stdout, stderr }: Finished, words: RegExp): void {
  expect(stderr).toMatch(words);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
}

test('every table is moved, or stays for a reason', () => {
  const stays: Record<string, string> = {
    channel_sessions: 'tokens are signed with the keys of the server',
    sign_ins: 'over in ten minutes',
    told_present: 'of sessions',
    audit_log: 'what was done on this server',
    history: 'names the history of this server',
    events: 'belong to that history',
    remembered: 'counts changes here',
    boards: 'made anew of the scores',
    board: 'made anew of the scores',
    board_marks: 'made anew of the scores',
    score_order: 'made anew of the scores',
    webhooks: 'registered anew, so that no two servers deliver the same',
    webhook_secrets: 'of webhooks',
    lanes: 'nonces of the signers of this server',
    transactions: 'signed by the signers of this server',
  };
  const db = new SqliteDatabase(':memory:');
  migrate(db);
  const all = db
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all();
  db.close();
  expect([...movedTables, ...Object.keys(stays)].sort()).toEqual(all.sort());
});

test('a game that was moved shows everybody what it showed before, and goes on from there', async () => {
  const game = await filled();
  await using _directory = game.directory;
  const report = await gantryJson(['export', 'space-race', game.file], game.data);
  expect(report).toMatchObject({ gameId: game.gameId, secrets: false, actionsLeftOut: 1 });
  expect(statSync(game.file).mode & 0o777).toBe(0o600);
  expect(readFileSync(game.file, 'utf8')).not.toContain(game.gameSecret);
  expect(await gantryJson(['import', game.file], game.other)).toMatchObject({
    gameId: game.gameId,
    gameSecret: expect.stringMatching(/^gsk_/),
  });
  const [before, after] = [await seenIn(game.data, game), await seenIn(game.other, game)];
  expect(after.all).toEqual(before.all);
  expect(JSON.stringify(after.all)).toContain('One more round?');
  const rules = await gantryJson(['rules', 'get', '--game', game.gameId], game.other);
  expect(rules).toEqual(await gantryJson(['rules', 'get', '--game', game.gameId], game.data));
  expect(rules).toMatchObject({ version: 1 });

  await using server = await serveGantry(game.other, { GANTRY_DEMO: 'off' });
  const token = await gantryJson(['token', '--game', game.gameId, '--wallet', game.ada.wallet], game.other);
  const { launcherJwt } = z.object({ launcherJwt: z.string() }).parse(token);
  const set = await post(`${server.url}/launcher/set-user-score`, { launcherJwt, score: 99, nonce: 'n-5' });
  expect(set.body).toMatchObject({ success: true, newScore: { score: 99, nonce: 'n-5' } });
  const again = await post(`${server.url}/launcher/trigger-rules-engine`, {
    launcherJwt,
    trigger: 'win',
    nonce: 't',
  });
  expect(again.body).toMatchObject({ success: true }); // the nonce's first answer came along
  const board = await post(`${server.url}/launcher/get-game-scores-leaderboard`, { gameId: game.gameId });
  expect(board.body).toMatchObject({ leaderboard: [{ score: 99, username: 'Ada' }, { score: 20 }] });
});

test('with its secrets, the game is called as before', async () => {
  const game = await filled();
  await using _directory = game.directory;
  await gantryJson(['export', game.gameId, game.file, '--secrets'], game.data);
  expect(readFileSync(game.file, 'utf8')).toContain(game.gameSecret);
  expect(await gantryJson(['import', game.file], game.other)).toMatchObject({ secrets: 1 });
  await using server = await serveGantry(game.other, { GANTRY_DEMO: 'off' });
  const headers = { Authorization: `Bearer ${game.gameSecret}` };
  const { body } = await post(
    `${server.url}/launcher/revoke-channel-session`,
    { wallet: game.ada.wallet },
    headers,
  );
  expect(body).toMatchObject({ success: true });
});

test('a game that is there already is refused, and so is a short name that is taken, each time the same', async () => {
  const game = await filled();
  await using _directory = game.directory;
  await gantryJson(['export', 'space-race', game.file], game.data);
  for (let time = 0; time < 2; time++)
    expectRefused(await run(['import', game.file], game.data), /is there already/);
  await gantryJson(['game', 'create', '--name', 'Space Race'], game.other);
  expectRefused(await run(['import', game.file], game.other), /--slug/);
  await gantryJson(['import', game.file, '--slug', 'race-two'], game.other);
  expect(await gantryJson(['game', 'list'], game.other)).toMatchObject([
    { slug: 'race-two' }, // made earlier, elsewhere
    { slug: 'space-race' },
  ]);
  expectRefused(await run(['export', 'space-race', game.file], game.data), /--force/);
  expectRefused(await run(['export', 'nothing', game.file], game.data), /no game/);
});

test('a file that is cut short, changed, or of another game in part is refused, and nothing of it is put in', async () => {
  const game = await filled();
  await using _directory = game.directory;
  await gantryJson(['export', 'space-race', game.file], game.data);
  await gantryJson(['game', 'list'], game.other);
  const whole = readFileSync(game.file, 'utf8').trimEnd().split('\n');
  const bad = `${game.file}.bad`;
  const without = (index: number) => whole.filter((_, at) => at !== index);
  const changed = (from: string | RegExp, to: string | ((found: string) => string)) =>
    whole.map((line) => (typeof to === 'string' ? line.replace(from, to) : line.replace(from, to)));
  const faults: [string[], RegExp][] = [
    [whole.slice(0, -1), /cut short/],
    [without(4), /has not all/],
    [[...whole, '{}'], /goes on after its end/],
    [changed(/"version":1,"schema/, '"version":9,"schema'), /not a game that/],
    [changed(/"schemaVersion":\d+/, '"schemaVersion":1'), /schema version 1/],
    [
      changed(/^{"type":"states".*"game_id":"[^"]+"/, (found) => found.replace(game.gameId, 'another')),
      /another game/,
    ],
    [changed('"type":"states"', '"type":"audit_log"'), /unknown here/],
    [changed('"ipfs_hash"', '"ipfs"'), /not the fields/],
    [changed('"policies":"{', '"policies":"['), /is not as it should be/],
    [
      changed(`"id":"${game.gameId}"`, '"id":"x\\",\\"game\\":\\"y"'),
      /games is not as it should be \(id: must be/,
    ],
    [changed(/"channel_id":"[^"]+"/, '"channel_id":"elsewhere"'), /channel that is not in the file/],
    [without(1), /has not all|begin with the game/],
    [['a letter'], /not JSON/],
  ];
  for (const [lines, words] of faults) {
    writeFileSync(bad, `${lines.join('\n')}\n`);
    expectRefused(await run(['import', bad], game.other), words);
  }
  const db = new SqliteDatabase(dataFiles(game.other).database);
  const counts = ['games', 'players', 'streams', 'states', 'messages'].map((table) =>
    db.prepare(`SELECT count(*) FROM ${table}`).pluck().get(),
  );
  db.close();
  expect(counts).toEqual([0, 0, 0, 0, 0]);
  await gantryJson(['import', game.file], game.other); // the whole one still fits
});
