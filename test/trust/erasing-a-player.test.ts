import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { dataFiles } from '../../src/config.ts';
import type { Store } from '../../src/core/storage/store.ts';
import { recordActivity } from '../../src/features/activities/commands.ts';
import { listActivities } from '../../src/features/activities/queries.ts';
import { sweepErased } from '../../src/features/administration/erasure-sweeps.ts';
import { listAuditLog } from '../../src/features/administration/operations/logs.ts';
import { banPlayer, erasePlayer, unbanPlayer } from '../../src/features/administration/operations/players.ts';
import { erasePlayerData } from '../../src/features/administration/player-eraser.ts';
import { mutePlayer } from '../../src/features/moderation/operations/mutes.ts';
import { notifyPlayer } from '../../src/features/notifications/commands.ts';
import { updatePlayer } from '../../src/features/players/operations/players.ts';
import { setRules } from '../../src/features/rules/operations/rules.ts';
import { defaultBoardOf } from '../../src/features/scores/board-rows.ts';
import { setScore } from '../../src/features/scores/commands.ts';
import { readBoardPage } from '../../src/features/scores/leaderboard-queries.ts';
import { openSession } from '../../src/features/sessions/operations/sessions.ts';
import { saveState } from '../../src/features/states/commands.ts';
import { readPublicStatesPage } from '../../src/features/states/queries.ts';
import { addWebhook } from '../../src/features/webhooks/commands.ts';
import { newWebhookSecret } from '../../src/features/webhooks/webhook-secret.ts';
import { events } from '../../src/server/declarations/events.ts';
import { tables } from '../../src/server/declarations/tables.ts';
import { databaseFiles } from '../../src/server/open-store.ts';
import { type AdminWay, overCommandLine, overHttp } from '../support/administration.ts';
import { type Api, apiOf } from '../support/api.ts';
import { type Conversations, conversationsOn } from '../support/conversations.ts';
import { connectLauncher } from '../support/launcher.ts';
import { accepted, refused } from '../support/outcome.ts';
import { filesWithText, usesText } from '../support/raw-search.ts';
import { randomWallet, startTestServer, type TestPlayer, type TestServer } from '../support/server.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { newWallet, type TestWallet } from '../support/wallet.ts';

const adminToken = 'the-admin-token-of-this-suite';
const variables = { RATE_LIMIT_FACTOR: '1000', ADMIN_TOKEN: adminToken };
const anything = z.unknown();

let directory: TemporaryDirectory;
let server: TestServer;
let api: Api;
let conversations: Conversations;
let admin: AdminWay;
let gameId: string;
let wallet: TestWallet;
let player: TestPlayer;
let other: TestPlayer;
beforeEach(async () => {
  directory = await temporaryDirectory();
  server = await startTestServer({ ...variables, DATA_DIR: directory.path });
  api = apiOf(server);
  conversations = conversationsOn(api);
  admin = overHttp({ url: server.url, adminToken });
  ({ gameId } = await server.createGame());
  wallet = newWallet();
  player = await server.openSession(gameId, wallet.lowercase);
  other = await server.openSession(gameId);
});
afterEach(async () => {
  await server.close();
  await directory[Symbol.asyncDispose]();
});

const as = async (who: TestPlayer, path: string, body: object = {}) =>
  accepted(await conversations.as(who, path, body), anything);

/** The cells of every table that contain a text, case-insensitively. */
function rowsWithText(text: string): string[] {
  const db = new SqliteDatabase(dataFiles(directory.path).database, { readonly: true, timeout: 5000 });
  try {
    const tables = db
      .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .pluck()
      .all();
    return tables.flatMap((table) =>
      db
        .prepare<[], Record<string, unknown>>(`SELECT * FROM "${table}"`)
        .all()
        .map((row) => `${table}: ${JSON.stringify(row)}`)
        .filter((row) => row.toLowerCase().includes(text.toLowerCase())),
    );
  } finally {
    db.close();
  }
}

/** Completes the erasure as the server does soon afterwards. */
const sweep = () => sweepErased(server.services.db, tables, { early: true });

/**
 * Nothing of it is in any table, nor, once the log has been emptied, in the bytes of any file, but for the unallocated
 * parts of the database's pages, which the manual names.
 */
async function isGone(texts: readonly string[]): Promise<void> {
  for (const text of texts) expect([text, rowsWithText(text)]).toEqual([text, []]);
  const { database } = dataFiles(directory.path);
  for (const text of texts) {
    const inFiles = () =>
      filesWithText(directory.path, text).filter(
        (file) => file !== basename(database) || usesText(database, text),
      );
    await until(`${text} gone from ${inFiles()}`, () => inFiles().length === 0, 15_000);
  }
}

/** The player's own texts, each unique. */
function canariesOf(owner: TestWallet) {
  const texts = [
    'username',
    'avatar',
    'state',
    'state before',
    'state label',
    'message',
    'message before its edit',
    'unsent message',
    'message in a channel that was left',
    'notification',
    'activity',
    'trigger nonce',
    'score nonce',
    'play state',
    'ban reason',
    'mute reason',
    'report',
  ] as const;
  const made = Object.fromEntries(
    texts.map((text) => [text, `${text.replaceAll(' ', '-')}-${randomUUID().slice(9)}`]),
  );
  return { ...(made as Record<(typeof texts)[number], string>), wallet: owner.lowercase.slice(2) };
}

/** Creates everything a player can leave behind. Returns the texts, and the ids of the channels with the other one. */
async function liveALife(): Promise<{ texts: string[]; channelId: string; leftId: string }> {
  const canary = canariesOf(wallet);
  await server.services.db.write(addWebhook, {
    gameId,
    url: 'http://127.0.0.1:9/', // where nothing is sent, so that deliveries wait
    filter: 'all',
    sealedSecret: server.box.seal(newWebhookSecret()),
  });
  const avatar = `https://ada.example/${canary.avatar}.png`;
  await admin.call(updatePlayer, { wallet: wallet.address, username: canary.username.slice(0, 40), avatar });
  await admin.call(openSession, { gameId, wallet: wallet.address });
  await admin.call(banPlayer, {
    wallet: wallet.address,
    gameId: (await server.createGame()).gameId,
    reason: canary['ban reason'],
  });
  const notify = { type: 'Notify' as const, message: 'well done, {username}: {nonce}' };
  const queued = [
    { type: 'Webhook' as const },
    { type: 'PostWindowMessage' as const, message: '{nonce}' },
    { type: 'GrantAchievementToken' as const, achievement: 'first' },
  ];
  const tell = { type: 'SendCustomActivity' as const, label: '{nonce}', eventId: 'trigger' };
  await admin.call(setRules, {
    gameId,
    rules: [{ trigger: 'win', actions: [notify, tell, ...queued], limitExecutions: { amount: 9 } }],
  });
  await as(player, 'trigger-rules-engine', { trigger: 'win', nonce: canary['trigger nonce'] });
  await admin.call(setRules, { gameId, rules: [] });

  for (const score of [5, 8]) await as(player, 'set-user-score', { score, nonce: canary['score nonce'] });
  for (const state of [canary['state before'].repeat(500), canary.state])
    await as(player, 'set-state', { state: JSON.stringify({ state }), label: canary['state label'] });
  await as(player, 'track-game-sessions', {
    sessionId: randomUUID(),
    state: JSON.stringify(canary['play state']),
  });
  await as(player, 'send-custom-activity', {
    label: `{username} {wallet} ${canary.activity}`,
    eventId: 'event',
  });
  await as(player, 'send-notification', { message: canary.notification, type: 'success' });
  await api.post('/launcher/create-unverified-channel', { gameId, wallet: wallet.address });

  const { _id: channelId } = await conversations.create(player, other);
  const { _id: messageId } = await conversations.send(player, channelId, canary['message before its edit']);
  await as(player, 'edit-channel-message', { messageId, newContent: canary.message });
  await conversations.send(other, channelId, 'hello, whoever you are');
  const unsent = await conversations.send(player, channelId, canary['unsent message']);
  await as(player, 'unsend-channel-message', { messageId: unsent._id });

  const third = await server.openSession(gameId);
  const { _id: leftId } = await conversations.create(other, player, third);
  await conversations.send(player, leftId, canary['message in a channel that was left']);
  await conversations.send(other, leftId, 'goodbye');
  await as(player, 'remove-participant', { channelId: leftId });

  // Each of the two about the other, so that others' data about the player is checked as well.
  for (const [by, about] of [
    [player, third],
    [third, player],
  ] as const) {
    await as(by, 'block-player', { wallet: about.wallet });
    const comment = by === player ? canary.report : 'is rude';
    await as(by, 'report-player', { wallet: about.wallet, reason: 'other', comment });
  }
  await as(player, 'mark-notifications-read', { all: true });
  const { gameId: elsewhere } = await server.createGame();
  const reason = canary['mute reason'];
  await admin.call(mutePlayer, { gameId: elsewhere, wallet: wallet.address, seconds: 3600, reason });
  return { texts: Object.values(canary), channelId, leftId };
}

describe.each<[string, () => Promise<AdminWay>]>([
  ['over /admin', async () => admin],
  ['by gantry admin, beside a running server', async () => overCommandLine(server.config)],
  [
    'by gantry admin, while no server runs',
    async () => {
      await server.close();
      return overCommandLine({ dataDirectory: directory.path });
    },
  ],
])('a player erased %s', (_how, way) => {
  it('leaves nothing behind: no wallet, name, state, message or label, in any table or file', async () => {
    const { texts } = await liveALife();
    // What was replaced or unsent may be gone from the files by now, as expected.
    for (const text of texts.filter((one) => !/^(state-before|message-before|unsent)-/.test(one)))
      expect([text, filesWithText(directory.path, text).length > 0]).toEqual([text, true]);
    await (await way()).call(erasePlayer, { wallet: wallet.address });
    // Only the wallet is left, for some seconds, unless no server runs.
    const left = texts.flatMap(rowsWithText).map((row) => row.slice(0, row.indexOf(':')));
    expect(['bans', 'erasures', 'events', 'streams']).toEqual(expect.arrayContaining(left));
    await until('the sweep', () => rowsWithText(wallet.lowercase.slice(2)).length === 0, 8_000);
    await isGone(texts);
  });
});

describe('an erased player', () => {
  const erase = async () => {
    await admin.call(erasePlayer, { wallet: wallet.address });
    await sweep();
  };

  it('is erased without waiting for calls in flight', async () => {
    await as(player, 'set-user-score', { score: 5 });
    const begunAt = performance.now();
    await admin.call(erasePlayer, { wallet: wallet.address });
    expect(performance.now() - begunAt).toBeLessThan(1_500);
  });

  it('is gone from channels left long ago, and from those without any of their messages', async () => {
    const third = await server.openSession(gameId);
    const { _id: silent } = await conversations.create(other, player, third);
    await as(player, 'remove-participant', { channelId: silent });
    const { _id: unsaid } = await conversations.create(player, third);
    const message = await conversations.send(player, unsaid, 'never mind');
    await as(player, 'unsend-channel-message', { messageId: message._id });
    await as(player, 'remove-participant', { channelId: unsaid });
    await erase();
    await isGone([wallet.lowercase.slice(2), 'never mind']);
  });

  it('is gone from the audit log, where only the wallet finds the erasure', async () => {
    await liveALife();
    await admin.call(unbanPlayer, { wallet: wallet.address }).catch(() => undefined);
    await erase();
    const { data } = await admin.call(listAuditLog, { limit: 250 });
    expect(JSON.stringify(data).toLowerCase()).not.toContain(wallet.lowercase.slice(2));
    expect(data[0]).toMatchObject({
      operation: 'erasePlayer',
      input: { walletSha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      outcome: 'ok',
    });
    expect(data.filter((entry) => entry.operation === 'updatePlayer')).toMatchObject([
      { input: { erased: true } },
    ]);
  });

  it('has public states that others read completely or not at all', async () => {
    const state = JSON.stringify({ title: 'Pilot' });
    for (const label of ['card', 'avatar']) await as(player, 'set-state', { label, state, public: true });
    const { db } = server.services;
    const seen = async () => {
      const { states } = await db.read(readPublicStatesPage, player, { limit: 10, skip: 0 });
      return states.map(({ json }) => json);
    };
    expect(await seen()).toEqual([state, state]);
    const seenAfter: string[][] = [];
    const watched: Store = {
      async write(command, ...args) {
        const result = await db.write(command, ...args);
        seenAfter.push(await seen());
        return result;
      },
      read: (query, ...args) => db.read(query, ...args),
      now: () => db.now(),
    };
    await erasePlayerData(watched, tables, player.wallet);
    await sweepErased(watched, tables, { early: true });
    expect(seenAfter[0]).toEqual([state, state]);
    expect(new Set(seenAfter.slice(1).flat())).toEqual(new Set());
  });

  it('loses all reactions and read markers, while others keep theirs', async () => {
    const { _id: channelId } = await conversations.create(other, player);
    const theirs = await conversations.send(other, channelId, 'We won');
    const own = await conversations.send(player, channelId, 'So we did');
    for (const messageId of [theirs._id, own._id]) {
      for (const one of [player, other]) await as(one, 'add-reaction', { messageId, reaction: 'gg' });
    }
    await as(player, 'add-reaction', { messageId: theirs._id, reaction: '🎉' });
    for (const one of [player, other]) await as(one, 'mark-messages-read', { channelId, messageId: own._id });
    await conversations.send(player, channelId, 'And again');
    await erase();
    expect(await as(other, 'get-channel-messages', { channelId })).toMatchObject({
      total: 1,
      data: [{ _id: theirs._id, reactions: [{ reaction: 'gg', count: 1, own: true }] }],
    });
    expect(await as(other, 'get-unread-count', { channelId })).toMatchObject({
      unreadCount: 0,
      lastReadMessageId: own._id,
    });
    await isGone([wallet.lowercase.slice(2)]);
  });

  it('is gone from the names of channels, also of earlier ones and of those left', async () => {
    const third = await server.openSession(gameId);
    const named = async (by: TestPlayer, ...others: TestPlayer[]) => {
      const { _id: channelId } = await conversations.create(by, ...others);
      for (const name of ['earlier-name', 'own-name'])
        await as(by, 'edit-group-info', { channelId, name, chatPicture: `https://a.example/${name}` });
      return channelId;
    };
    await named(player, other);
    const renamed = await named(player, third);
    await as(player, 'edit-group-info', { channelId: renamed, name: 'renamed' });
    await as(player, 'remove-participant', { channelId: renamed });
    const left = await named(player, other, third);
    await as(player, 'remove-participant', { channelId: left });
    await erase();
    await isGone(['earlier-name', 'own-name']);
  });

  it('leaves the names of channels that only others could choose', async () => {
    const { _id: channelId } = await conversations.create(other, player);
    await as(other, 'edit-group-info', { channelId, name: 'The crew' });
    await erase();
    expect(await as(other, 'get-message-channels')).toMatchObject({ data: [{ name: 'The crew' }] });
  });

  it('does not take the data of anyone else along', async () => {
    const { channelId, leftId } = await liveALife();
    for (const score of [3, 4]) await as(other, 'set-user-score', { score, nonce: String(score) });
    await as(other, 'set-state', { state: '{"level":3}', label: 'save' });
    await as(other, 'send-custom-activity', { label: 'found the key', eventId: 'key' });
    const everything = async () => ({
      scores: await as(other, 'get-user-scores'),
      states: await as(other, 'get-states'),
      status: await as(other, 'channel-status'),
      leaderboardPlace: (
        await server.services.db.read(readBoardPage, defaultBoardOf(gameId), { limit: 9, skip: 0 })
      ).filter((row) => row.normalizedAddress === other.wallet),
      activities: await server.services.db.read(
        listActivities,
        { wallet: other.wallet },
        { limit: 9, skip: 0 },
      ),
    });
    const before = await everything();
    await erase();
    expect(await everything()).toEqual(before);

    const messages = async (id: string) => Object(await as(other, 'get-channel-messages', { channelId: id }));
    expect(await messages(channelId)).toMatchObject({
      total: 1,
      data: [{ senderId: other.wallet, content: 'hello, whoever you are' }],
    });
    expect(await messages(leftId)).toMatchObject({ total: 1, data: [{ content: 'goodbye' }] });
    const channels = Object(await as(other, 'get-message-channels')).data;
    expect(
      channels.map((channel: { participants: unknown[] }) => channel.participants.length).sort(),
    ).toEqual([1, 2]);
    await conversations.send(other, channelId, 'is anybody there?');
    const position = await api.post('/launcher/get-users-position-in-game-score-leaderboard', {
      gameId,
      wallet: other.wallet,
    });
    expect(position.body).toMatchObject({ position: 1 });
  });

  it("does not affect the others' cursors, who receive nothing about them afterwards", async () => {
    const { _id: channelId } = await conversations.create(player, other);
    using first = await connectLauncher(server.url, { launcherJwt: other.launcherJwt });
    await first.call('subscribe', {}, 'realtime-events');
    const cursors = Object.fromEntries(
      Object.entries(await first.streams()).map(([stream, { epoch, seq }]) => [stream, { epoch, seq }]),
    );
    const { epoch } = Object.values(cursors)[0] ?? { epoch: '' };
    cursors[`game:${gameId}`] = { epoch, seq: 0 };
    first[Symbol.dispose]();
    await conversations.send(player, channelId, 'a word that will be erased');
    await conversations.send(other, channelId, 'a word that stays');
    await as(player, 'send-custom-activity', { label: '{wallet} found the key', eventId: 'key' });
    await as(other, 'send-custom-activity', { label: 'opened the gate', eventId: 'gate' });
    await erase();
    await conversations.send(other, channelId, 'and another one');

    using second = await connectLauncher(server.url, { launcherJwt: other.launcherJwt, cursors });
    const streams = await second.streams();
    for (const { recovered } of Object.values(streams)) expect(recovered).toBe(true);
    const heardOf = (stream: string) =>
      second.received.filter(({ name, meta }) => meta.stream === stream && Object.hasOwn(events, name));
    await until('everything missed', () =>
      Object.entries(streams).every(([stream, { latest, seq }]) => heardOf(stream).length >= latest - seq),
    );
    for (const [stream, { seq, latest }] of Object.entries(streams)) {
      const expected = Array.from({ length: latest - seq }, (_, index) => seq + index + 1);
      expect([stream, heardOf(stream).map(({ meta }) => meta.seq)]).toEqual([stream, expected]);
    }
    const said = JSON.stringify(second.received);
    expect(said.toLowerCase()).not.toContain(wallet.lowercase.slice(2));
    expect(said).not.toContain('will be erased');
    for (const word of ['a word that stays', 'and another one', 'opened the gate'])
      expect(said).toContain(word);
  });

  it.each<[string, () => AdminWay]>([
    ['over /admin', () => admin],
    ['by gantry admin', () => overCommandLine(server.config)],
  ])('%s is notified, disconnected, and no longer known', async (_how, way) => {
    const ended = await server.openSession(gameId, player.wallet);
    await as(ended, 'end-channel-session');
    expect(await as(ended, 'channel-status')).toMatchObject({ exists: false });
    using launcher = await connectLauncher(server.url, { launcherJwt: player.launcherJwt });
    await way().call(erasePlayer, { wallet: wallet.address });
    await until('the end of the socket', () => launcher.socket.disconnected);
    expect(launcher.received.at(-1)).toMatchObject({
      name: 'game-channels patched',
      record: { exists: false, endReason: 'erased' },
    });
    for (const { launcherJwt } of [player, ended])
      refused(await api.post('/launcher/channel-status', { launcherJwt }), 401, 'token_invalid');
    await expect(connectLauncher(server.url, { launcherJwt: player.launcherJwt })).rejects.toMatchObject({
      data: { data: { reason: 'token_invalid' } },
    });
  });

  it('may return as a new player, without any data', async () => {
    await as(player, 'set-user-score', { score: 5 });
    await erase();
    const again = await server.openSession(gameId, player.wallet);
    expect(again.userId).not.toBe(player.userId);
    expect(await as(again, 'get-user-scores')).toMatchObject({ scores: [] });
  });

  it('leaves nothing behind when they keep playing during the erasure', async () => {
    const { _id: channelId } = await conversations.create(other, player);
    const play = (turn: number) =>
      Promise.all([
        conversations.as(player, 'set-user-score', { score: turn }),
        conversations.as(player, 'set-state', { state: '1', label: `label-${turn}` }),
        conversations.as(player, 'send-notification', { message: 'one more', type: 'success' }),
        conversations.as(player, 'send-channel-message', { channelId, content: 'one more' }),
        conversations.as(player, 'track-game-sessions', { sessionId: randomUUID(), state: '1' }),
        conversations.as(player, 'trigger-rules-engine', { trigger: 'one more' }),
        conversations.as(player, 'create-message-channel', { otherParticipants: [randomWallet()] }),
        conversations.as(player, 'channel-heartbeat'),
      ]);
    using launcher = await connectLauncher(server.url, { launcherJwt: player.launcherJwt });
    const turns = Array.from({ length: 30 }, (_, turn) => turn);
    const playing = turns.map(async (turn) => {
      await new Promise((resolve) => setTimeout(resolve, turn * 2));
      return play(turn);
    });
    await play(-1);
    await admin.call(erasePlayer, { wallet: wallet.address });
    const answers = (await Promise.all(playing)).flat();
    expect(answers.filter((answer) => answer.status >= 500)).toEqual([]);
    await until('the end of the socket', () => launcher.socket.disconnected);
    await sweep();
    await isGone([wallet.lowercase.slice(2)]);
  });
});

describe('erasing one of many players', () => {
  /** Long enough that rows spill over into overflow pages. */
  const long = (text: string) => `${text} `.repeat(400);

  it('leaves none of their bytes in use, whatever pages they were written to, split and moved, and none at all in a compacted file', async () => {
    const { db: store } = server.services;
    const crowd = Array.from({ length: 40 }, () => ({ gameId, wallet: randomWallet() }));
    const all = [player, ...crowd, player];
    await Promise.all(crowd.map((one) => server.openSession(gameId, one.wallet)));
    for (let round = 0; round < 12; round++) {
      await Promise.all(
        all.map(async (one, index) => {
          const mark = one === player ? 'the-canary-of-the-erased' : 'of-others';
          const json = JSON.stringify({ mark: index % 3 === round % 3 ? long(mark) : mark });
          await store.write(saveState, one, `${mark}-${round % 5}`, json, 'hash');
          await store.write(setScore, one, round, `${mark}-${round % 4}`);
          await store.write(recordActivity, one, { label: `${mark} ${round}`, eventId: 'event' });
          await store.write(notifyPlayer, one, { message: mark.repeat(round + 1), type: 'success' });
        }),
      );
    }
    const { database } = dataFiles(directory.path);
    const texts = [wallet.lowercase.slice(2), 'the-canary-of-the-erased'];
    const isUsed = () => texts.map((text) => usesText(database, text));
    checkpoint();
    expect(isUsed()).toEqual([true, true]);
    await erase();
    await isGone(texts);
    await server.close();
    databaseFiles.compact(database);
    expect(texts.flatMap((text) => filesWithText(directory.path, text))).toEqual([]);

    /** So that the file contains what the log does. */
    function checkpoint() {
      const db = new SqliteDatabase(database);
      db.pragma('wal_checkpoint(PASSIVE)');
      db.close();
    }

    async function erase() {
      await admin.call(erasePlayer, { wallet: wallet.address });
      await sweep();
    }
  });
});
