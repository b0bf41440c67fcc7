import { afterAll, describe, expect, it } from 'vitest';
import { notifyPlayer } from '../../src/features/notifications/commands.ts';
import { maxMarkedPerCall } from '../../src/features/notifications/notification.ts';
import { apiOf } from '../support/api.ts';
import { faults, itRefuses, missing } from '../support/field-faults.ts';
import { post } from '../support/http.ts';
import { connectLauncher, settled } from '../support/launcher.ts';
import { startTestServer, type TestPlayer } from '../support/server.ts';

const server = await startTestServer();
afterAll(server.close);
const api = apiOf(server);
const { gameId, gameSecret } = await server.createGame();
const ada = await server.openSession(gameId);

interface Inbox {
  notifications: { _id: string; message: string; readAt: number | null; expiresAt?: number }[];
  unread: number;
  cursor: string | null;
}

async function inboxOf({ launcherJwt }: Pick<TestPlayer, 'launcherJwt'>, input: object = {}): Promise<Inbox> {
  const { status, body } = await api.post('/launcher/list-notifications', { launcherJwt, ...input });
  expect(status).toBe(200);
  return body as Inbox;
}

function notify({ launcherJwt }: Pick<TestPlayer, 'launcherJwt'>, message: string, more: object = {}) {
  return api.post('/launcher/send-notification', { launcherJwt, message, type: 'success', ...more });
}

describe('the inbox of a player', () => {
  it('lists what was sent, newest first, with the read status', async () => {
    const player = await server.openSession(gameId);
    for (const message of ['one', 'two', 'three']) await notify(player, message);
    const inbox = await inboxOf(player);
    expect(inbox.notifications.map(({ message }) => message)).toEqual(['three', 'two', 'one']);
    expect(inbox).toMatchObject({ unread: 3, cursor: null });
    const [third] = inbox.notifications;
    const marked = await api.post('/launcher/mark-notifications-read', {
      launcherJwt: player.launcherJwt,
      notificationIds: [third?._id],
    });
    expect(marked.body).toEqual({ success: true, notificationIds: [third?._id], more: false });
    expect(await inboxOf(player)).toMatchObject({
      unread: 2,
      notifications: [{ readAt: expect.any(Number) }, { readAt: null }, { readAt: null }],
    });
    await api.post('/launcher/mark-notifications-read', { launcherJwt: player.launcherJwt, all: true });
    expect(await inboxOf(player, { unreadOnly: true })).toMatchObject({ unread: 0, notifications: [] });
  });

  it('is marked as read in parts, while there is more', async () => {
    const { wallet, launcherJwt } = await server.openSession(gameId);
    const { db } = server.services;
    const one = { message: 'one', type: 'success' } as const;
    await Promise.all(
      Array.from({ length: maxMarkedPerCall + 3 }, () => db.write(notifyPlayer, { gameId, wallet }, one)),
    );
    const marked: [number, boolean][] = [];
    do {
      const { body } = await api.post('/launcher/mark-notifications-read', { launcherJwt, all: true });
      const { notificationIds, more } = body as { notificationIds: string[]; more: boolean };
      marked.push([notificationIds.length, more]);
    } while (marked.at(-1)?.[1]);
    expect(marked).toEqual([
      [maxMarkedPerCall, true],
      [3, false],
    ]);
    expect(await inboxOf({ launcherJwt })).toMatchObject({ unread: 0 });
  });

  it('is read page by page', async () => {
    const player = await server.openSession(gameId);
    for (let n = 0; n < 5; n++) await notify(player, `${n}`);
    const read: string[] = [];
    let after: string | undefined;
    do {
      const page = await inboxOf(player, { limit: 2, after });
      read.push(...page.notifications.map(({ message }) => message));
      after = page.cursor ?? undefined;
    } while (after !== undefined);
    expect(read).toEqual(['4', '3', '2', '1', '0']);
  });

  it('returns the expiry of notifications that have one, sent to one player and to many', async () => {
    const player = await server.openSession(gameId);
    const before = Date.now();
    await notify(player, 'soon gone', { expiresInSeconds: 3600 });
    await post(
      `${server.url}/launcher/notify-players`,
      { wallets: [player.wallet], message: 'gone later', type: 'success', expiresInSeconds: 7200 },
      { Authorization: `Bearer ${gameSecret}` },
    );
    const { notifications } = await inboxOf(player);
    const hours = notifications.map(({ expiresAt = 0 }) => Math.round((expiresAt - before) / 3_600_000));
    expect(hours).toEqual([2, 1]);
  });

  it("can be read by the game's server for a player", async () => {
    const player = await server.openSession(gameId);
    await notify(player, 'hello');
    const { body } = await post(
      `${server.url}/launcher/list-notifications`,
      { wallet: player.wallet },
      { Authorization: `Bearer ${gameSecret}` },
    );
    expect(body).toMatchObject({ unread: 1, notifications: [{ message: 'hello' }] });
  });

  it("covers every game for a launcher's own session", async () => {
    const player = await server.openSession(gameId);
    const launcher = await server.openSession(
      (await server.createGame({ kind: 'launcher' })).gameId,
      player.wallet,
    );
    await notify(player, 'from the game');
    await notify(launcher, 'from the launcher');
    expect((await inboxOf(launcher)).unread).toBe(2);
    expect((await inboxOf(player)).unread).toBe(1);
  });

  it('is in sync across devices: the others receive what was read, and nobody else does', async () => {
    const player = await server.openSession(gameId);
    const stranger = await server.openSession(gameId);
    const again = await server.openSession(gameId, player.wallet);
    using phone = await connectLauncher(server.url, { launcherJwt: again.launcherJwt });
    using other = await connectLauncher(server.url, { launcherJwt: stranger.launcherJwt });
    await notify(player, 'hello');
    const { record: created } = await phone.waitForEvent('notifications created');
    await api.post('/launcher/mark-notifications-read', {
      launcherJwt: player.launcherJwt,
      notificationIds: [created._id],
    });
    const { record, meta } = await phone.waitForEvent('notifications read');
    expect(record).toEqual({
      gameId,
      normalizedAddress: player.wallet,
      notificationIds: [created._id],
      readAt: expect.any(Number),
    });
    expect(meta.stream).toBe(`player:${gameId}:${player.wallet}`);
    await settled(other);
    expect(other.received.map(({ name }) => name)).not.toContain('notifications read');
  });
});

const token = () => ({ launcherJwt: ada.launcherJwt });
itRefuses(api, '/launcher/list-notifications', token, [
  ...faults('limit', [-1, 1.5, 'x'], 'paging_invalid'),
  ...faults('after', ['nonsense', '1.2'], 'paging_invalid'),
  ...faults('after', ['', 7], 'input_invalid'),
  ...faults('unreadOnly', ['yes', 1], 'input_invalid'),
]);
itRefuses(api, '/launcher/mark-notifications-read', () => ({ ...token(), notificationIds: ['x'] }), [
  ...faults('notificationIds', [missing, [], Array(251).fill('x'), 7, 'x'], 'input_invalid'),
  ...faults('all', [false, 'yes'], 'input_invalid'),
]);
itRefuses(api, '/launcher/send-notification', () => ({ ...token(), message: 'm', type: 'success' }), [
  ...faults('expiresInSeconds', [0, -1, 1.5, 31_536_001, '60'], 'input_invalid'),
]);
