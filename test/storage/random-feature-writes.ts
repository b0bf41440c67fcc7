import type { Owner } from '../../src/core/schemas/owner.ts';
import type { Store } from '../../src/core/storage/store.ts';
import { addGameSecret, consumeNonce } from '../../src/features/games/commands.ts';
import { gamePolicies } from '../../src/features/games/game.ts';
import {
  addDevice,
  addGuest,
  playerKeyOf,
  removeDevice,
  signInDevice,
  vouchForPlayer,
} from '../../src/features/guests/commands.ts';
import { listDevices } from '../../src/features/guests/queries.ts';
import { trimIdempotencyKeys } from '../../src/features/idempotency/commands.ts';
import { block, unblock } from '../../src/features/messages/blocks/commands.ts';
import { listBlocked } from '../../src/features/messages/blocks/queries.ts';
import { mute, muteInChannel, trimMutes } from '../../src/features/moderation/commands.ts';
import { readMutes } from '../../src/features/moderation/queries.ts';
import { closeReport, fileReport } from '../../src/features/moderation/reports/commands.ts';
import { readReports } from '../../src/features/moderation/reports/queries.ts';
import {
  markDelivered,
  markRead,
  notifySeveral,
  trimNotifications,
} from '../../src/features/notifications/commands.ts';
import { setGameMuted } from '../../src/features/notifications/muted-game-commands.ts';
import { listInbox, listUnread, mutedGamesOf } from '../../src/features/notifications/queries.ts';
import { requireBoard } from '../../src/features/scores/boards.ts';
import type { LeaderboardChanges, NewLeaderboard } from '../../src/features/scores/leaderboard.ts';
import {
  addLeaderboard,
  changeLeaderboard,
  clearRetiredSeason,
  deleteLeaderboard,
  endSeason,
} from '../../src/features/scores/leaderboard-commands.ts';
import {
  listBoardScores,
  listSeasons,
  readAmong,
  readAround,
  readBoardPage,
  readPlace,
} from '../../src/features/scores/leaderboard-queries.ts';
import { setLeaderboardScore } from '../../src/features/scores/leaderboard-score-commands.ts';
import { beginAttempt, completeSignIn, requestSignIn } from '../../src/features/sessions/sign-in-commands.ts';
import {
  addWebhook,
  addWebhookSecret,
  changeWebhook,
  deleteWebhook,
  replayDelivery,
} from '../../src/features/webhooks/commands.ts';
import { claimDeliveries, settleDelivery } from '../../src/features/webhooks/delivery-commands.ts';
import { readDeliveries, readWebhooks } from '../../src/features/webhooks/queries.ts';
import { runAll, runAsGuest, runOnce, upgradeGuest } from '../../src/server/declarations/commands.ts';
import type { Scene, Weighted } from './random-writes.ts';

/** One operation's random draws. */
export interface Drawn {
  owner: Owner;
  /** Another player, or the same. */
  wallet: string;
  channel: string;
  message: string;
  /** Below 1,000. */
  number: number;
  nonce: string | undefined;
}

const page = { limit: 20, skip: 0 };
const terms = { room: 5, perHost: 3, busyHosts: {}, leaseMs: 60_000 };
const names = ['first', 'second', 'third', 'fourth'] as const;

/** Leaderboards with names and seasons, of each keep rule. */
export function leaderboardWrites({ owner, wallet, number, nonce }: Drawn): Weighted[] {
  const { gameId } = owner;
  const name = names[number % names.length] ?? '';
  const label = number % 3 === 0 ? `l${number % 5}` : undefined;
  const made: NewLeaderboard = {
    name,
    keep: (['best', 'latest', 'sum', 'count'] as const)[number % 4] ?? 'best',
    order: number % 2 ? 'desc' : 'asc',
    entries: number % 4 === 0 && number % 3 === 0 ? 'all' : 'player',
    public: number % 9 > 0,
    labels: ['l1', 'l2', 'l3'],
    schedule: number % 7 ? null : { cron: '*/10 * * * *', timeZone: 'UTC' },
    keepSeasons: number % 3 ? 2 : null,
  };
  const changes: LeaderboardChanges = { addLabels: [`l${number % 5}`], keepSeasons: number % 3 || null };
  const details = { nonce, label, metadata: number % 2 ? { of: number } : undefined };
  const onBoard = <Answer>(
    read: (db: Store, board: Awaited<ReturnType<typeof requireBoard>>) => Promise<Answer>,
  ) => {
    const policies = gamePolicies.parse({});
    return async (db: Store) =>
      read(
        db,
        await requireBoard(db, { id: gameId, policies }, { leaderboard: name, label }, { isPublic: true }),
      );
  };
  return [
    [4, 'addLeaderboard', (db) => db.write(addLeaderboard, gameId, made)],
    [1, 'changeLeaderboard', (db) => db.write(changeLeaderboard, gameId, name, changes)],
    [0.2, 'deleteLeaderboard', (db) => db.write(deleteLeaderboard, gameId, name)],
    [1, 'endSeason', (db) => db.write(endSeason, gameId, name, { isDue: number % 2 === 0 })],
    [1, 'clearRetiredSeason', (db) => db.write(clearRetiredSeason)],
    [12, 'setScore', (db) => db.write(setLeaderboardScore, owner, name, number, details)],
    [
      2,
      'readBoardPage',
      onBoard((db, board) => db.read(readBoardPage, board, { limit: 5, skip: number % 6 })),
    ],
    [1, 'readPlace', onBoard((db, board) => db.read(readPlace, board, wallet))],
    [1, 'readAround', onBoard((db, board) => db.read(readAround, board, wallet, 5))],
    [1, 'readAmong', onBoard((db, board) => db.read(readAmong, board, [wallet, owner.wallet]))],
    [1, 'listBoardScores', onBoard((db, board) => db.read(listBoardScores, board, owner, page))],
    [1, 'listSeasons', (db) => db.read(listSeasons, gameId, name, page)],
  ];
}

/** Guests, and operations on them; one who gets a wallet is another player from then on. */
export function guestWrites({ owner, message, number }: Drawn, scene: Scene): Weighted[] {
  const { gameId } = owner;
  const made = scene.made++;
  const guest = { address: `0x6775657374${made.toString(16).padStart(30, '0')}`, idleMs: 1e9 };
  const device = { secretHash: `hash-${made}`, name: `device ${number}` };
  const there = scene.guests[number % Math.max(1, scene.guests.length)] ?? guest.address;
  const id = `00000000-0000-4000-9000-${made.toString(16).padStart(12, '0')}`;
  const signIn = { id, gameId, wallet: `0xffff${made.toString(16).padStart(36, '0')}`, signRequest: '' };
  const upgrade = async (db: Store) => {
    await db.write(requestSignIn, { ...signIn, expiresAt: 4e12 }, there);
    await db.write(beginAttempt, id, there);
    return db.write(upgradeGuest, { gameId, wallet: there }, id, 1e9);
  };
  const asGuest = (command: string, ...args: unknown[]) => {
    return (db: Store) => db.write(runAsGuest, there, command, [{ gameId, wallet: there }, ...args]);
  };
  return [
    [2, 'addGuest', (db) => db.write(addGuest, gameId, guest, device, 1e9)],
    [1, 'addDevice', (db) => db.write(addDevice, there, device)],
    [
      0.5,
      'removeDevice',
      async (db) => {
        const [first] = await db.read(listDevices, there);
        return db.write(removeDevice, there, first?.deviceId ?? id, id);
      },
    ],
    [1, 'signInDevice', (db) => db.write(signInDevice, gameId, `hash-${number}`, 1e9)],
    [
      1,
      'vouchForPlayer',
      (db) =>
        db.write(
          vouchForPlayer,
          { gameId, playerKey: playerKeyOf(gameId, `player ${number % 9}`) },
          guest,
          1e9,
          `name ${number}`,
        ),
    ],
    [3, 'setScore', asGuest('setScore', number)],
    [1, 'setScore', asGuest('setLeaderboardScore', names[number % names.length], number)],
    [1, 'saveState', asGuest('saveState', `label-${number % 5}`, `{"n":${number}}`, 'cid')],
    [1, 'notifyPlayer', asGuest('notifyPlayer', { message: 'hello', type: 'success' })],
    [0.5, 'addReactionTo', asGuest('addReactionTo', message, 'g')],
    ...(scene.leavesOut.includes('renaming') ? [] : ([[0.5, 'upgradeGuest', upgrade]] satisfies Weighted[])),
    [
      1,
      'completeSignIn',
      async (db) => {
        await db.write(requestSignIn, { ...signIn, wallet: owner.wallet, expiresAt: 4e12 });
        await db.write(beginAttempt, id);
        return db.write(completeSignIn, id, 1e9);
      },
    ],
  ];
}

/** What players and moderators do about others: blocks, reports, mutes; and the inbox. */
export function moderationWrites(
  { owner, wallet, channel, message, number }: Drawn,
  scene: Scene,
): Weighted[] {
  const { gameId } = owner;
  const reported = scene.reports[number % Math.max(1, scene.reports.length)] ?? 'none';
  const notification = scene.notifications[number % Math.max(1, scene.notifications.length)];
  const about = number % 2 ? { messageId: message } : { wallet };
  const muted = { seconds: number % 4 ? number : 0, reason: 'why' };
  const by = number % 2 ? ('server' as const) : ('moderator' as const);
  const closing = { outcome: 'dismissed' as const, note: 'reviewed', by: 'me' };
  return [
    [3, 'block', (db) => db.write(block, owner, wallet)],
    [
      3,
      'unblock',
      async (db) => {
        const { rows } = await db.read(listBlocked, owner, page);
        return db.write(unblock, owner, rows[0]?.wallet ?? wallet);
      },
    ],
    [3, 'fileReport', (db) => db.write(fileReport, owner, { about, reason: 'spam', comment: `c ${number}` })],
    [1, 'closeReport', (db) => db.write(closeReport, reported, closing)],
    [1, 'mute', (db) => db.write(mute, owner, number % 3 ? channel : null, by, muted)],
    [1, 'muteInChannel', (db) => db.write(muteInChannel, owner, channel, wallet, muted)],
    [0.5, 'trimMutes', (db) => db.write(trimMutes)],
    [
      2,
      'notifySeveral',
      (db) =>
        db.write(notifySeveral, gameId, [...new Set([wallet, owner.wallet])], {
          message: `all ${number}`,
          type: 'success',
        }),
    ],
    [
      2,
      'markRead',
      async (db) =>
        db.write(markRead, owner, notification ? [notification] : await db.read(listUnread, owner, 5)),
    ],
    [1, 'setGameMuted', (db) => db.write(setGameMuted, owner, number % 3 > 0)],
    [1, 'mutedGamesOf', (db) => db.read(mutedGamesOf, owner.wallet, page)],
    [1, 'markDelivered', (db) => db.write(markDelivered, notification ? [notification] : [])],
    [0.5, 'trimNotifications', (db) => db.write(trimNotifications, 3_600_000)],
    [1, 'listInbox', (db) => db.read(listInbox, owner, { limit: 5, unreadOnly: number % 2 === 0 })],
    [1, 'listBlocked', (db) => db.read(listBlocked, owner, page)],
    [1, 'readMutes', (db) => db.read(readMutes, { gameId }, page)],
    [1, 'readReports', (db) => db.read(readReports, { gameId }, page)],
  ];
}

/** Writes under a key, batches, and a game's webhooks and secrets. */
export function gameWrites({ owner, wallet, number }: Drawn, scene: Scene): Weighted[] {
  const { gameId } = owner;
  const made = scene.made++;
  const webhook = scene.webhooks[number % Math.max(1, scene.webhooks.length)] ?? 'none';
  const delivery = scene.deliveries[number % Math.max(1, scene.deliveries.length)] ?? 'none';
  const claim = {
    gameId,
    keyHash: `key-${number % 50}`,
    wallet: owner.wallet,
    fingerprint: `of ${number % 100}`,
    texts: {},
  };
  const calls = [
    { command: 'setScore', args: [owner, number] },
    { command: 'saveState', args: [owner, `label-${number % 5}`, `{"n":${number}}`, 'cid'] },
    { command: 'removeState', args: [owner, 'label-1', number % 4 ? undefined : 1] },
    {
      command: 'notifyPlayer',
      args: [
        { gameId, wallet },
        { message: 'batch', type: 'success' },
      ],
    },
    { command: 'setLeaderboardScore', args: [owner, names[number % 4], number] },
  ].slice(0, 2 + (number % 4));
  const owners = [owner, { gameId, wallet }].filter(
    (one, at, all) => all.findIndex((other) => other.wallet === one.wallet) === at,
  );
  const secret = { hash: `secret-${made}`, sealedMd5: '', sealedSecret: '' };
  return [
    [4, 'runOnce', (db) => db.write(runOnce, claim, 'setScore', [owner, number % 100])],
    [3, 'runAll', (db) => db.write(runAll, owners, calls)],
    [2, 'runOnce', (db) => db.write(runOnce, claim, 'runAll', [owners, calls])],
    [0.5, 'trimIdempotencyKeys', (db) => db.write(trimIdempotencyKeys, 3_600_000)],
    [
      1,
      'addWebhook',
      (db) =>
        db.write(addWebhook, {
          gameId,
          url: `https://${number % 3}.example/hooks`,
          filter: 'all',
          sealedSecret: 's',
        }),
    ],
    [0.5, 'changeWebhook', (db) => db.write(changeWebhook, webhook, { enabled: number % 3 > 0 })],
    [0.5, 'deleteWebhook', (db) => db.write(deleteWebhook, webhook)],
    [0.5, 'addWebhookSecret', (db) => db.write(addWebhookSecret, webhook, `sealed ${number}`, 1_000)],
    [2, 'claimDeliveries', (db) => db.write(claimDeliveries, `node ${number % 2}`, scene.webhooks, terms)],
    [
      2,
      'settleDelivery',
      (db) =>
        db.write(
          settleDelivery,
          `node ${number % 2}`,
          delivery,
          number % 3
            ? { delivered: true }
            : { delivered: false, error: 'answered 500', gone: number % 2 === 0, dueAt: number * 1e10 },
        ),
    ],
    [0.5, 'replayDelivery', (db) => db.write(replayDelivery, delivery)],
    [0.5, 'readWebhooks', (db) => db.read(readWebhooks, gameId)],
    [0.5, 'readDeliveries', (db) => db.read(readDeliveries, { gameId }, page)],
    [0.5, 'addGameSecret', (db) => db.write(addGameSecret, gameId, secret, { graceMs: number * 100 })],
    [1, 'consumeNonce', (db) => db.write(consumeNonce, gameId, `nonce-${number}`)],
  ];
}
