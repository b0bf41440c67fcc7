import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { dataFiles } from '../../src/config.ts';
import { newId } from '../../src/core/schemas/ids.ts';
import { ban } from '../../src/features/administration/commands.ts';
import { transferredTables } from '../../src/features/administration/game-export.ts';
import { importedRowSchema } from '../../src/features/administration/imported-rows.ts';
import { requestNonces } from '../../src/features/games/tables.ts';
import { setProfile } from '../../src/features/players/commands.ts';
import { players } from '../../src/features/players/tables.ts';
import { enqueueActions } from '../../src/features/queue/commands.ts';
import { tables } from '../../src/server/declarations/tables.ts';
import { type Finished, serveGantry } from '../support/gantry-process.ts';
import { post } from '../support/http.ts';
import { connectLauncher } from '../support/launcher.ts';
import { startTestServer, type TestPlayer } from '../support/server.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { gantry, gantryJson } from '../support/warm-gantry.ts';

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

/** A game in which everything has happened once, in a data directory that is not open, beside another game. */
async function filled(): Promise<Filled> {
  const directory = await temporaryDirectory();
  const data = join(directory.path, 'data');
  await using server = await startTestServer({ DATA_DIR: data });
  const { db: store } = server.services;
  await server.createGame({ name: 'Another' });
  const { gameId, gameSecret } = await server.createGame({ name: 'Space Race' });
  const [ada, bob] = [await server.openSession(gameId), await server.openSession(gameId)];
  await store.write(setProfile, ada.wallet, { username: 'Ada' });
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
  for (const title of ['Cadet', 'Pilot']) {
    await call(ada, 'set-state', { label: 'card', state: JSON.stringify({ title }), public: true });
  }
  await call(ada, 'track-game-sessions', { sessionId: crypto.randomUUID(), state: '{}' });
  await call(ada, 'send-custom-activity', { label: '{username} won', eventId: 'w' });
  await call(ada, 'send-notification', { message: 'Hello', type: 'success' });
  await call(ada, 'trigger-rules-engine', { trigger: 'win', nonce: 't' });
  const { _id: channelId } = await call(ada, 'create-message-channel', { otherParticipants: [bob.wallet] });
  const question = await call(ada, 'send-channel-message', { channelId, content: 'One more round?' });
  await call(bob, 'send-channel-message', { channelId, content: 'Yes', replyTo: question._id });
  await call(ada, 'send-channel-message', { channelId, content: 'Now' });
  for (const player of [ada, bob]) {
    await call(player, 'add-reaction', { messageId: question._id, reaction: '\u{1F44D}' });
  }
  await call(ada, 'mark-messages-read', { channelId, messageId: question._id });
  const waiting = { kind: 'nobody', type: 'Webhook', gameId, payload: {} };
  await store.write(enqueueActions, [waiting]);
  const { wallet: cheater } = await server.openSession(gameId);
  await store.write(ban, cheater, gameId, 'cheating');
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
    publicStates: await read('get-public-states', { ...of(bob), wallet: ada.wallet }),
    activities: await read('get-activities', { gameId }),
    channels,
    messages: await read('get-channel-messages', { ...of(bob), channelId: channel?._id }),
    unread: await read('get-unread-count', { ...of(bob), channelId: channel?._id }),
    markers: await read('get-unread-count', { ...of(ada), channelId: channel?._id }),
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

/** How many bytes each player stores in the game, then the game. */
function storageUseIn(data: string, gameId: string): unknown[] {
  const db = new SqliteDatabase(dataFiles(data).database, { readonly: true });
  try {
    return [
      ...db.prepare('SELECT wallet, bytes FROM storage_use WHERE game_id = ? ORDER BY wallet').all(gameId),
      db.prepare('SELECT sum(bytes) AS bytes FROM game_storage WHERE game_id = ?').get(gameId),
    ];
  } finally {
    db.close();
  }
}

function expectRefused({ code, stdout, stderr }: Finished, words: RegExp): void {
  expect(stderr).toMatch(words);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
}

test('every table with data of a game is exported, or states why not', () => {
  const moved = transferredTables(tables);
  const ofGames = tables.filter(({ of }) => of.game !== undefined || of.stream !== undefined || of.via);
  const left = ofGames.filter((table) => !moved.includes(table) && !of(table).stays);
  expect(left.map(({ name }) => name).sort()).toEqual(['game_secrets', 'games', 'request_nonces']); // handled specially
  expect(moved.length).toBeGreaterThan(10);

  function of(table: (typeof tables)[number]) {
    return table.of;
  }
});

test('a moved game shows everybody what it showed before, and continues from there', async () => {
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
  const kept = storageUseIn(game.data, game.gameId);
  expect(kept).toHaveLength(3);
  expect(storageUseIn(game.other, game.gameId)).toEqual(kept);
  const [before, after] = [await seenIn(game.data, game), await seenIn(game.other, game)];
  expect(after.all).toEqual(before.all);
  expect(JSON.stringify(after.all)).toContain('One more round?');
  expect(after.all.publicStates).toMatchObject({ states: [{ label: 'card', version: 2, public: true }] });
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
  expect(again.body).toMatchObject({ success: true }); // the nonce's first response was moved too
  const board = await post(`${server.url}/launcher/get-game-scores-leaderboard`, { gameId: game.gameId });
  expect(board.body).toMatchObject({ leaderboard: [{ score: 99, username: 'Ada' }, { score: 20 }] });
});

test('where a game was deleted and is imported again, launchers are told that they do not have all events', async () => {
  const game = await filled();
  await using _directory = game.directory;
  const { gameId, ada } = game;
  await gantryJson(['export', gameId, game.file], game.data);
  await using server = await serveGantry(game.data, { GANTRY_DEMO: 'off' });
  const openSession = async () => {
    const opened = await gantryJson(['token', '--game', gameId, '--wallet', ada.wallet], game.data);
    return z.object({ launcherJwt: z.string() }).parse(opened);
  };
  const setScores = async (session: { launcherJwt: string }) => {
    for (let score = 0; score < 9; score++)
      await post(`${server.url}/launcher/set-user-score`, { ...session, score });
  };
  const before = await openSession();
  await setScores(before);
  using launcher = await connectLauncher(server.url, before);
  const cursors = await launcher.streams();
  await gantryJson(['game', 'delete', '--game', gameId, '--confirm', 'space-race'], game.data);
  await gantryJson(['import', game.file], game.data);
  const after = await openSession();
  await setScores(after);
  await setScores(after);
  using again = await connectLauncher(server.url, { ...after, cursors });
  const stream = `player:${gameId}:${ada.wallet}`;
  expect(cursors[stream]).toMatchObject({ epoch: expect.any(String) });
  expect((await again.streams())[stream]).toMatchObject({ epoch: cursors[stream]?.epoch, recovered: false });
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

/** Rewrites the game's file with some of its records changed, and others inserted before the end. */
function rewritten(
  game: Filled,
  change: (type: string, row: Row) => Row,
  more: readonly { type: string; row: Row }[] = [],
): string {
  const [head = '', ...lines] = readFileSync(game.file, 'utf8').trimEnd().split('\n');
  const records = lines.slice(0, -1).map((line) => gameFileRecord.parse(JSON.parse(line)));
  const all = [...records.map(({ type, row }) => ({ type, row: change(type, row) })), ...more];
  const file = `${game.file}.rewritten`;
  const end = { type: 'end', records: all.length };
  writeFileSync(file, `${[head, ...[...all, end].map((one) => JSON.stringify(one))].join('\n')}\n`);
  return file;
}

const gameFileRecord = z.object({
  type: z.string(),
  row: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
});
type Row = z.infer<typeof gameFileRecord>['row'];

const spends = JSON.stringify({
  spending: { transactionsPerDay: 9, transactionsPerPlayerPerDay: 9, tokens: [] },
});

test('a file imports no pending actions, and no spending allowance: it says how to allow it again', async () => {
  const game = await filled();
  await using _directory = game.directory;
  await gantryJson(['export', 'space-race', game.file], game.data);
  const now = Date.now();
  const action = (state: string): { type: string; row: Row } => ({
    type: 'actions',
    row: {
      id: newId(),
      kind: 'chain',
      lane: '1:0x0000000000000000000000000000000000000001',
      type: 'CallContract',
      gameId: game.gameId,
      wallet: game.ada.wallet,
      triggerId: newId(),
      payload: '{"to":"0x0000000000000000000000000000000000000002"}',
      state,
      attempts: 0,
      dueAt: now,
      deadlineAt: 0,
      claimedBy: null,
      claimedUntil: 0,
      error: null,
      transactionHash: null,
      createdAt: now,
      updatedAt: now,
      endedAt: null, // also in states that are over, so that the list of open ones would find it
    },
  });
  const all = ['queued', 'submitted', 'failed', 'cancelled', 'confirmed'].map(action);
  const [queued, , , , confirmed] = all;
  const spent = (one: typeof queued) => ({
    type: 'spending',
    row: {
      actionId: one?.row.id ?? '',
      gameId: game.gameId,
      wallet: game.ada.wallet,
      token: '',
      amount: '0',
      day: Math.floor(now / 86_400_000),
      refunded: 0,
    },
  });
  const file = rewritten(game, (type, row) => (type === 'games' ? { ...row, policies: spends } : row), [
    ...all,
    spent(queued),
    spent(confirmed),
  ]);
  const report = await gantryJson(['import', file], game.other);
  expect(report).toMatchObject({
    actionsLeftOut: 4,
    spending: expect.stringContaining(
      `DATA_DIR=${game.other} gantry game update --game ${game.gameId} --policies '{"spending":{"transactionsPerDay":9`,
    ),
  });
  expect(await gantryJson(['game', 'list'], game.other)).toMatchObject([
    { policies: { spending: { transactionsPerDay: 0, transactionsPerPlayerPerDay: 0, tokens: [] } } },
  ]);
  const db = new SqliteDatabase(dataFiles(game.other).database);
  const of = (sql: string) => db.prepare(sql).pluck().all();
  const found = {
    actions: of('SELECT state FROM actions'),
    open: of('SELECT id FROM actions WHERE ended_at IS NULL'),
    spending: of('SELECT action_id FROM spending'),
  };
  db.close();
  expect(found).toEqual({ actions: ['confirmed'], open: [], spending: [confirmed?.row.id] });
});

test('a launcher is imported only on request', async () => {
  const game = await filled();
  await using _directory = game.directory;
  await gantryJson(['export', 'space-race', game.file], game.data);
  const file = rewritten(game, (type, row) => (type === 'games' ? { ...row, kind: 'launcher' } : row));
  expectRefused(await run(['import', file], game.other), /kind launcher.*--allow-launcher/);
  await gantryJson(['import', file, '--allow-launcher'], game.other);
  expect(await gantryJson(['game', 'list'], game.other)).toMatchObject([{ kind: 'launcher' }]);
});

test("every record of a file is validated like a caller's input", async () => {
  const game = await filled();
  await using _directory = game.directory;
  await gantryJson(['export', 'space-race', game.file], game.data);
  const faults: [type: string, changes: Row, words: RegExp][] = [
    ['games', { slug: '../X Y' }, /games .*slug: must be lowercase/],
    ['games', { name: '' }, /games .*name/],
    ['games', { kind: 'admin' }, /games .*kind/],
    ['games', { url: 'javascript:alert(1)' }, /games .*url/],
    [
      'games',
      { allowedOrigins: '["https://a.example/path"]' },
      /games .*allowedOrigins: 0: must be an origin/,
    ],
    ['games', { policies: '{"leaderboard":{"keep":"worst"}}' }, /games .*policies/],
    ['games', { policies: '{"freeForAll":true}' }, /games .*policies: freeForAll: is unknown/],
    [
      'games',
      { policies: '{"spending":{"unlimited":true}}' },
      /games .*policies: spending: unlimited: is unknown/,
    ],
    ['games', { url: 'http://a"b/' }, /games .*url/],
    ['games', { image: 'https://user:pw@a.example/' }, /games .*image/],
    ['games', { allowedOrigins: '["http://a\\"b"]' }, /games .*allowedOrigins/],
    ['games', { rules: '[{"trigger":"win","actions":[{"type":"Mint"}]}]' }, /games .*unknown action type/],
    ['players', { username: 'x'.repeat(41) }, /players .*username/],
    ['players', { avatar: 'javascript:alert(1)' }, /players .*avatar/],
    ['players', { wallet: '0xABC' }, /players .*wallet/],
    ['scores', { nonce: 'x'.repeat(201) }, /scores .*nonce/],
    ['states', { json: 'not JSON' }, /states .*must be a string that contains JSON/],
    ['states', { json: '['.repeat(40) + ']'.repeat(40) }, /states .*nests deeper/],
    ['states', { label: '' }, /states .*label/],
    ['play_sessions', { state: '{' }, /play_sessions .*must be a string that contains JSON/],
    ['activities', { label: 'x'.repeat(501) }, /activities .*label/],
    ['activities', { timestamp: Date.now() + 2 * 86_400_000 }, /activities .*timestamp: is in the future/],
    ['notifications', { type: 'alarm' }, /notifications .*type/],
    ['message_channels', { name: 'x'.repeat(101) }, /message_channels .*name/],
    ['message_channels', { participantsKey: 'others' }, /message_channels does not match the participants/],
    ['participants', { permissions: '[' }, /participants .*permissions: must be JSON/],
    ['participants', { permissions: '["everything"]' }, /participants .*permissions/],
    ['messages', { content: 'x'.repeat(4_001) }, /messages .*content/],
    ['messages', { eventSeqs: '[9999]' }, /messages names an event that is not its own: 9999 of channel:/],
    ['messages', { eventSeqs: '[1]' }, /messages names an event that is not its own: 1 of channel:/],
    ['scores', { revision: 9999 }, /scores names an event that is not its own: 9999 of player:/],
    ['notifications', { eventSeq: 9999 }, /notifications names an event that is not its own/],
    ['participants', { joinedSeq: 9999 }, /participants names an event that is not its own/],
    ['read_markers', { readSeq: 9999 }, /read_markers names an event that is not its own/],
    ['messages', { id: '../x' }, /messages .*id: must be a UUIDv7/],
    ['messages', { reactions: '[["gg",2]]' }, /messages has reaction counts that do not match/],
    ['messages', { reactions: '[["gg",5000]]' }, /messages .*reactions/],
    ['message_reactions', { reaction: 'gg' }, /messages has reaction counts that do not match/],
    ['message_reactions', { reaction: 'two words' }, /message_reactions .*reaction: must be one emoji/],
    ['bans', { reason: 'x'.repeat(501) }, /bans .*reason/],
    ['rule_triggers', { actions: '{}' }, /rule_triggers .*actions/],
  ];
  for (const [type, changes, words] of faults) {
    const file = rewritten(game, (one, row) => (one === type ? { ...row, ...changes } : row));
    expectRefused(await run(['import', file], game.other), words);
  }
  const foreign = { name: `channel:${newId()}`, wallet: null, seq: 1 };
  const secret = { secret: 'easy', createdAt: 0, expiresAt: null };
  for (const [type, row, words] of [
    ['streams', foreign, /streams refers to a channel that is not in the file/],
    ['secrets', secret, /secrets .*must be a game secret/],
  ] as const) {
    expectRefused(
      await run(['import', rewritten(game, (_, row) => row, [{ type, row }])], game.other),
      words,
    );
  }
  expect(await gantryJson(['game', 'list'], game.other)).toEqual([]);
});

test('a file that has a record twice is refused, with the type of the record', async () => {
  const game = await filled();
  await using _directory = game.directory;
  await gantryJson(['export', 'space-race', game.file, '--secrets'], game.data);
  const all: { type: string; row: Row }[] = [];
  rewritten(game, (type, row) => {
    all.push({ type, row });
    return row;
  });
  for (const type of ['streams', 'secrets', 'scores', 'states', 'rule_triggers']) {
    const again = all.filter((one) => one.type === type).slice(0, 1);
    expect(again).toHaveLength(1);
    const file = rewritten(game, (_, row) => row, again);
    expectRefused(await run(['import', file], game.other), new RegExp(`A record of ${type} .*twice`));
  }
  expect(await gantryJson(['game', 'list'], game.other)).toEqual([]);
});

test('an import validates every column of a moved table', () => {
  for (const table of [...transferredTables(tables), players, requestNonces]) {
    expect(() => importedRowSchema(table, 0), table.name).not.toThrow();
  }
});

test('an existing game is refused, and so is a slug in use, consistently', async () => {
  const game = await filled();
  await using _directory = game.directory;
  await gantryJson(['export', 'space-race', game.file], game.data);
  for (let time = 0; time < 2; time++)
    expectRefused(await run(['import', game.file], game.data), /The game \S+ already exists/);
  await gantryJson(['game', 'create', '--name', 'Space Race'], game.other);
  expectRefused(await run(['import', game.file], game.other), /--slug/);
  await gantryJson(['import', game.file, '--slug', 'race-two'], game.other);
  expect(await gantryJson(['game', 'list'], game.other)).toMatchObject([
    { slug: 'race-two' }, // created earlier, elsewhere
    { slug: 'space-race' },
  ]);
  expectRefused(await run(['export', 'space-race', game.file], game.data), /--force/);
  expectRefused(await run(['export', 'nothing', game.file], game.data), /no game/);
});

test('a file of another version is refused, and no data directory is created for it', async () => {
  const game = await filled();
  await using directory = game.directory;
  await gantryJson(['export', 'space-race', game.file], game.data);
  const text = readFileSync(game.file, 'utf8').replace(/"schemaVersion":\d+/, '"schemaVersion":1');
  writeFileSync(game.file, text);
  const unused = join(directory.path, 'unused');
  expectRefused(await run(['import', game.file], unused), /schema version 1/);
  expect(existsSync(unused)).toBe(false);
});

test('a file that is truncated, modified, or partly of another game is refused, and nothing is imported', async () => {
  const game = await filled();
  await using _directory = game.directory;
  await gantryJson(['export', 'space-race', game.file], game.data);
  const missing = await run(['import', `${game.file}.missing`], game.other);
  expect(missing).toEqual({ code: 1, stdout: '', stderr: `There is no file ${game.file}.missing.\n` });
  const whole = readFileSync(game.file, 'utf8').trimEnd().split('\n');
  const bad = `${game.file}.bad`;
  const without = (index: number) => whole.filter((_, at) => at !== index);
  const lineOf = (text: string) => whole.findIndex((line) => line.includes(text)) + 1;
  const changed = (from: string | RegExp, to: string | ((found: string) => string)) =>
    whole.map((line) => (typeof to === 'string' ? line.replace(from, to) : line.replace(from, to)));
  const faults: [string[], RegExp][] = [
    [whole.slice(0, -1), /truncated/],
    [['{', ...whole.slice(1)], /not a file written by/],
    [[...whole.slice(0, 2), '{', ...whole.slice(2)], /invalid JSON in line 3/],
    [without(4), /is incomplete/],
    [[...whole, '{}'], /data after its end/],
    [changed(/"version":1,"schema/, '"version":9,"schema'), /not a file written by/],
    [changed(/"schemaVersion":\d+/, '"schemaVersion":1'), /schema version 1/],
    [
      changed(/^{"type":"states".*"gameId":"[^"]+"/, (found) => found.replace(game.gameId, newId())),
      /another game/,
    ],
    [changed('"type":"states"', '"type":"audit_log"'), /an unknown type/],
    [
      changed('"ipfsHash"', '"ipfs"'),
      new RegExp(`^Line ${lineOf('"ipfsHash"')}: A record of states does not have the expected fields`),
    ],
    [[...whole.slice(0, 4), 'x'.repeat(18 * 1024 * 1024)], /line 5 is longer than 16 MiB/],
    [changed('"policies":"{', '"policies":"['), /A record of games is invalid/],
    [changed(`"id":"${game.gameId}"`, '"id":"x\\",\\"game\\":\\"y"'), /games is invalid \(id: must be/],
    [changed(/"channelId":"[^"]+"/, `"channelId":"${newId()}"`), /channel that is not in the file/],
    [without(1), /is incomplete|begin with the game/],
    [['a text'], /not a file written by/],
  ];
  for (const [lines, words] of faults) {
    writeFileSync(bad, `${lines.join('\n')}\n`);
    expectRefused(await run(['import', bad], game.other), words);
  }
  const bytes = readFileSync(game.file);
  bytes[bytes.indexOf('"label":"') + 9] = 0xff; // not UTF-8, and not to be read as U+FFFD
  writeFileSync(bad, bytes);
  expectRefused(await run(['import', bad], game.other), /is damaged: line \d+ is not UTF-8/);
  const db = new SqliteDatabase(dataFiles(game.other).database);
  const counts = ['games', 'players', 'streams', 'states', 'messages'].map((table) =>
    db.prepare(`SELECT count(*) FROM ${table}`).pluck().get(),
  );
  db.close();
  expect(counts).toEqual([0, 0, 0, 0, 0]);
  await gantryJson(['import', game.file], game.other); // the complete one still fits
});
