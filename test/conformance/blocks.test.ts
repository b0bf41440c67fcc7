import { afterAll, describe, expect, it } from 'vitest';
import { apiOf } from '../support/api.ts';
import { itRefuses, missing, pagingFaults } from '../support/field-faults.ts';
import { accepted, refused } from '../support/outcome.ts';
import { succeeded } from '../support/records.ts';
import { startTestServer } from '../support/server.ts';

const server = await startTestServer();
afterAll(server.close);
const api = apiOf(server);
const { gameId } = await server.createGame();
const done = succeeded({});

describe('blocking a player', () => {
  it('keeps them from starting a channel with the player, with the same error as any decline, and can be undone', async () => {
    const [ada, grace] = [await server.openSession(gameId), await server.openSession(gameId)];
    const token = { launcherJwt: ada.launcherJwt };
    const start = () =>
      api.post('/launcher/create-message-channel', {
        launcherJwt: grace.launcherJwt,
        otherParticipants: [ada.wallet],
      });
    for (let again = 0; again < 2; again++) {
      accepted(await api.post('/launcher/block-player', { ...token, wallet: grace.wallet }), done);
    }
    const { status, body } = await start();
    expect([status, body]).toMatchObject([400, { data: { reason: 'adding_declined' } }]);
    expect(JSON.stringify(body)).not.toContain('block');
    const mine = await api.post('/launcher/create-message-channel', {
      ...token,
      otherParticipants: [grace.wallet],
    });
    refused(mine, 400, 'player_blocked');
    const list = await api.post('/launcher/list-blocked-players', token);
    expect(list.body).toEqual({
      total: 1,
      limit: 50,
      skip: 0,
      data: [{ wallet: grace.wallet, username: '', createdAt: expect.any(Number) }],
    });
    accepted(await api.post('/launcher/unblock-player', { ...token, wallet: grace.wallet }), done);
    const again = await api.post('/launcher/unblock-player', { ...token, wallet: grace.wallet });
    refused(again, 400, 'player_not_blocked');
    expect((await start()).status).toBe(200);
  });

  it('works for other players known to the server', async () => {
    const { launcherJwt, wallet } = await server.openSession(gameId);
    refused(
      await api.post('/launcher/block-player', { launcherJwt, wallet }),
      400,
      'input_invalid',
      'wallet',
    );
    const nobody = `0x${'9'.repeat(40)}`;
    refused(await api.post('/launcher/block-player', { launcherJwt, wallet: nobody }), 400, 'player_unknown');
  });
});

describe("blocking a player with a launcher's session", () => {
  it("silences them in every game, and only a launcher's session ends it", async () => {
    const { gameId: other } = await server.createGame();
    const { gameId: launcherId } = await server.createGame({ kind: 'launcher' });
    const { launcherJwt, wallet } = await server.openSession(launcherId);
    const grace = await server.openSession(gameId);
    const blocking = { wallet: grace.wallet };
    const inGames = await Promise.all(
      [gameId, other].map(async (id) => {
        const ada = await server.openSession(id, wallet);
        const own = await server.openSession(id, grace.wallet);
        const start = { launcherJwt: own.launcherJwt, otherParticipants: [wallet] };
        const { body } = await api.post('/launcher/create-message-channel', start);
        const channel = body as { _id: string };
        const say = (content: string) =>
          api.post('/launcher/send-channel-message', {
            launcherJwt: own.launcherJwt,
            channelId: channel._id,
            content,
          });
        const as = (path: string, input: object = {}) =>
          api.post(`/launcher/${path}`, { launcherJwt: ada.launcherJwt, ...input });
        const read = () => as('get-channel-messages', { channelId: channel._id });
        return { as, say, read, channelId: channel._id };
      }),
    );
    for (const { as, say, read, channelId } of inGames) {
      await say('before');
      expect((await read()).body).toMatchObject({ total: 1 });
      expect((await as('get-unread-count', { channelId })).body).toMatchObject({ unreadCount: 1 });
    }
    const [first] = inGames;
    if (first) accepted(await first.as('block-player', blocking), done);
    accepted(await api.post('/launcher/block-player', { launcherJwt, ...blocking }), done);
    for (const { as, say, read, channelId } of inGames) {
      expect((await say('a canary sings')).status).toBe(200);
      expect((await read()).body).toMatchObject({ total: 0, data: [] });
      expect((await as('get-unread-count', { channelId })).body).toMatchObject({ unreadCount: 0 });
      expect((await as('list-blocked-players')).body).toMatchObject({
        total: 1,
        data: [{ ...blocking, everywhere: true }],
      });
      refused(await as('unblock-player', blocking), 400, 'blocked_everywhere');
    }
    const list = await api.post('/launcher/list-blocked-players', { launcherJwt });
    expect(list.body).toMatchObject({ total: 1, data: [{ ...blocking, everywhere: true }] });
    accepted(await api.post('/launcher/unblock-player', { launcherJwt, ...blocking }), done);
    for (const { as, read } of inGames) {
      expect((await read()).body).toMatchObject({ total: 2 });
      expect((await as('list-blocked-players')).body).toMatchObject({ total: 0 });
    }
    const again = await api.post('/launcher/unblock-player', { launcherJwt, ...blocking });
    refused(again, 400, 'player_not_blocked');
  });
});

const { launcherJwt } = await server.openSession(gameId);
const good = () => ({ launcherJwt, wallet: `0x${'1'.repeat(40)}` });
for (const path of ['/launcher/block-player', '/launcher/unblock-player']) {
  itRefuses(api, path, good, [
    ['wallet', missing, 'address_invalid'],
    ['wallet', '0x12', 'address_invalid'],
    ['wallet', 7, 'address_invalid'],
  ]);
}
itRefuses(api, '/launcher/list-blocked-players', () => ({ launcherJwt }), pagingFaults);
