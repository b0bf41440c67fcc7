import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { addFriend } from '../../../src/features/friends/commands.ts';
import { findGameBySlug } from '../../../src/features/games/queries.ts';
import { block } from '../../../src/features/messages/blocks/commands.ts';
import { createChannel } from '../../../src/features/messages/channel-commands.ts';
import { sendMessage } from '../../../src/features/messages/message-commands.ts';
import { fileReport } from '../../../src/features/moderation/reports/commands.ts';
import { notifyPlayer } from '../../../src/features/notifications/commands.ts';
import { setProfile } from '../../../src/features/players/commands.ts';
import { enqueueActions } from '../../../src/features/queue/commands.ts';
import { readActions } from '../../../src/features/queue/queries.ts';
import { setScore } from '../../../src/features/scores/commands.ts';
import { addLeaderboard, endSeason } from '../../../src/features/scores/leaderboard-commands.ts';
import { setLeaderboardScore } from '../../../src/features/scores/leaderboard-score-commands.ts';
import { seedDemo } from '../../../src/tools/demo/seed.ts';
import { befriend } from '../../support/befriend.ts';
import { post } from '../../support/http.ts';
import { connectLauncher } from '../../support/launcher.ts';
import type { TestPlayer, TestServer } from '../../support/server.ts';
import { bearer } from '../../support/world.ts';

const names = [
  'Katherine',
  'Hedy',
  'Annie',
  'Radia',
  'Barbara',
  'Edsger',
  'Donald',
  'Frances',
  'Jean',
  'Kathleen',
];

const cupOf = ['de', 'fr', 'ja'];

/** The data of a server with active games. */
export interface SampleWorld {
  gameId: string;
  players: TestPlayer[];
  /** A report of a message that still exists. */
  reportId: string;
}

/** The demo, and an active game's data: every list of the console has rows. */
export async function fillServer(server: TestServer): Promise<SampleWorld> {
  const { services, url, adminToken, openSession } = server;
  const { db } = services;
  await seedDemo(db, server.box);
  const gameId = (await db.read(findGameBySlug, 'demo-game'))?.id ?? '';
  await server.createGame({ name: 'A game with a long name that is hosted elsewhere', slug: 'elsewhere' });
  await server.createGame({ name: 'Untouched', slug: 'untouched' });
  await db.write(addLeaderboard, gameId, {
    name: 'daily-cup-of-the-northern-harbours',
    keep: 'sum',
    order: 'desc',
    entries: 'player',
    public: false,
    labels: cupOf,
    schedule: { cron: '0 18 * * *', timeZone: 'Europe/Berlin' },
    keepSeasons: 4,
  });
  const players: TestPlayer[] = [];
  for (const [index, username] of names.entries()) {
    const player = await openSession(gameId);
    players.push(player);
    const { wallet, launcherJwt } = player;
    await db.write(setProfile, wallet, { username });
    await db.write(setScore, player, 2_400 - index * 137);
    await db.write(setLeaderboardScore, player, 'weekly', 2_400 - index * 137, {
      metadata: { containers: 30 - index },
    });
    if (index === 4) await db.write(endSeason, gameId, 'weekly', {});
    await db.write(setLeaderboardScore, player, 'daily-cup-of-the-northern-harbours', 120 + index, {
      label: cupOf[index % 3] ?? 'de',
      metadata: { ship: 'MS Hopper', weather: 'fog' },
    });
    const call = (path: string, body: object) => post(`${url}/launcher/${path}`, { launcherJwt, ...body });
    const state = {
      level: index + 1,
      hero: { name: username, hp: 0.75 },
      items: ['key', 'lamp', null],
      seen: true,
    };
    await call('set-state', { label: 'save', state: JSON.stringify(state) });
    const started = { sessionId: randomUUID(), state: JSON.stringify({ level: index }) };
    await call('track-game-sessions', started);
    if (index % 3 > 0)
      await call('track-game-sessions', { ...started, endTime: Date.now() + 60_000 * index });
    await call('send-custom-activity', { label: '{username} reached the harbour', eventId: 'harbour' });
    await db.write(enqueueActions, [
      {
        kind: 'chain',
        lane: '31337:0x5fbd…',
        type: index % 2 ? 'IssueToken' : 'CallContract',
        gameId,
        wallet,
        payload: { to: wallet, amount: '150000000' },
      },
    ]);
  }
  const [first, asking, ...friends] = players;
  if (!first || !asking) throw new Error('there are too few players');
  for (const { wallet } of friends.slice(0, 5)) await befriend(db, gameId, wallet, first.wallet);
  const request = { wallet: first.wallet, hasCode: false, message: '', gameId };
  await db.write(addFriend, asking.wallet, request);
  const admin = (path: string, body: object) => post(`${url}/admin/${path}`, body, bearer(adminToken));
  const { rows } = await db.read(readActions, { gameId }, { limit: 2, skip: 3 });
  for (const { _id } of rows) await admin('cancel-action', { actionId: _id });
  await admin('ban-player', { wallet: players.at(-1)?.wallet, gameId, reason: 'cheating' });
  await admin('update-game', { gameId, allowedOrigins: [] });
  await admin('update-game', {
    gameId,
    policies: { wordFilter: { action: 'mask', words: ['darn', 'go away'] } },
  });
  for (const [version, value] of [1, 2].entries())
    await admin('set-config', {
      gameId,
      ifVersion: version,
      comment: 'For the holidays, when everybody has more time',
      changes: [
        { key: 'xp', value, rules: [{ percent: 10, value: 3 }] },
        { key: 'chest.odds', value: 0.05, public: false },
      ],
    });
  await admin('create-event', {
    ...{ gameId, key: 'happy-hour', title: 'Double stars on the northern piers' },
    ...{ startsAt: Date.now(), cron: '0 18 * * 5', durationMs: 5_400_000, timeZone: 'Asia/Tokyo' },
  });
  await admin('create-webhook', { gameId, url: 'https://game.example/hooks' });
  for (const [name, role, lifetimeDays] of [
    ['Ada', 'owner', null],
    ['ada.lovelace@the-analytical-engine.example', 'operator', 30],
    ['Grace', 'moderator', 90],
    ['Dashboard', 'read-only', 365],
  ])
    await admin('create-administrator', { name, role, ...(lifetimeDays !== null && { lifetimeDays }) });
  const reportId = await fillReports(server, players);
  await admin('make-backup', {});
  await admin('set-backup-schedule', { everyHours: 24, keep: 7 });
  return { gameId, players: players.slice(0, -1), reportId };
}

/** Reports in every status, and a muted player. */
async function fillReports({ services, url, adminToken }: TestServer, players: TestPlayer[]) {
  const { db } = services;
  const [ada, grace, alan] = players;
  if (!ada || !grace || !alan) throw new Error('there are too few players');
  const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet, alan.wallet]);
  await db.write(sendMessage, ada, channelId, 'Good game!');
  const { _id: messageId } = await db.write(
    sendMessage,
    grace,
    channelId,
    'Buy gold at https://gold.example/cheap?from=harbour, the cheapest there is, delivered within five minutes',
  );
  await db.write(sendMessage, alan, channelId, 'Please stop.');
  const file = (from: TestPlayer, about: { messageId: string } | { wallet: string }, comment: string) =>
    db.write(fileReport, from, { about, reason: 'spam', comment });
  const reportId = await file(ada, { messageId }, 'In every channel, every evening, for a week now');
  await file(alan, { wallet: grace.wallet }, '');
  const admin = (path: string, body: object) => post(`${url}/admin/${path}`, body, bearer(adminToken));
  const resolved = await file(alan, { messageId }, 'Here too');
  await admin('resolve-report', { reportId: resolved, outcome: 'resolved', note: 'Muted for a day' });
  await admin('mute-player', {
    wallet: grace.wallet,
    gameId: grace.gameId,
    seconds: 86_400,
    reason: 'spam in every channel',
  });
  return reportId;
}

/** A player's inbox and blocked players. */
export async function fillInbox({ services: { db } }: TestServer, owner: { gameId: string; wallet: string }) {
  for (const [message, type] of [
    ['You won a hat', 'success'],
    ['The harbour closes at eight today: bring in what is still out there, and moor at pier 4', 'success'],
    ['The last round was not saved', 'error'],
  ] as const)
    await db.write(notifyPlayer, owner, { message, type });
}

export async function fillBlocked(
  { services: { db } }: TestServer,
  owner: { gameId: string; wallet: string },
  others: readonly TestPlayer[],
) {
  for (const { wallet } of others) await db.write(block, owner, wallet);
}

/** Nothing that waits for a receiver or a chain that is not there. */
export async function emptyQueue({ services, url, adminToken }: TestServer, gameId: string): Promise<void> {
  const admin = (path: string, body: object) => post(`${url}/admin/${path}`, body, bearer(adminToken));
  const { body } = await admin('list-webhooks', { gameId });
  const { webhooks } = z.object({ webhooks: z.array(z.object({ webhookId: z.string() })) }).parse(body);
  for (const { webhookId } of webhooks) await admin('remove-webhook', { webhookId });
  const { rows } = await services.db.read(readActions, { gameId, state: 'queued' }, { limit: 250, skip: 0 });
  for (const { _id } of rows) await admin('cancel-action', { actionId: _id });
}

/** Players who join one after another, play at a varying pace, and are occasionally refused. */
export async function keepBusy(
  { url }: TestServer,
  players: readonly TestPlayer[],
  forSeconds: number,
): Promise<void> {
  const startedAt = Date.now();
  let connected = 0;
  for (let second = 0, turn = 0; second < forSeconds; second = (Date.now() - startedAt) / 1_000, turn++) {
    const next = players[connected];
    if (next && second > (connected * forSeconds) / players.length) {
      await connectLauncher(url, { launcherJwt: next.launcherJwt });
      connected++;
    }
    const calls = Math.max(1, Math.round(2 + 1.5 * Math.sin(second / 20) + Math.sin(second / 3)));
    await Promise.all(
      Array.from({ length: calls }, (_, index) => {
        const { launcherJwt } = players[(turn + index) % players.length] ?? {};
        return index % 4 === 0
          ? post(`${url}/launcher/set-user-score`, { launcherJwt, score: Math.round(second) })
          : post(`${url}/launcher/get-user-score`, {
              launcherJwt: turn % 500 === 0 ? 'forged' : launcherJwt,
            });
      }),
    );
    await pause(25);
  }
}
