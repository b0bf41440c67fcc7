import { afterAll, describe, expect, it } from 'vitest';
import { changeGame } from '../../src/features/administration/commands.ts';
import { createChannel } from '../../src/features/messages/channel-commands.ts';
import { sendMessage } from '../../src/features/messages/message-commands.ts';
import { apiOf } from '../support/api.ts';
import { faults, itRefuses, missing, requiredString } from '../support/field-faults.ts';
import { post } from '../support/http.ts';
import { refused } from '../support/outcome.ts';
import { startTestServer, type TestPlayer } from '../support/server.ts';

const server = await startTestServer();
afterAll(server.close);
const api = apiOf(server);
const { db } = server.services;
const { gameId, gameSecret } = await server.createGame();
const ada = await server.openSession(gameId);
const grace = await server.openSession(gameId);
const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet]);
const authorization = { Authorization: `Bearer ${gameSecret}` };

function say({ launcherJwt }: TestPlayer, content: string, more: object = {}) {
  return api.post('/launcher/send-channel-message', { launcherJwt, channelId, content, ...more });
}

describe('reporting', () => {
  it('returns the id of the report, and only one while it is open', async () => {
    const { _id: messageId } = await db.write(sendMessage, grace, channelId, 'buy gold');
    const body = { launcherJwt: ada.launcherJwt, messageId, reason: 'spam', comment: 'Again and again' };
    const { status, body: answer } = await api.post('/launcher/report-message', body);
    expect([status, answer]).toEqual([200, { success: true, reportId: expect.any(String) }]);
    refused(await api.post('/launcher/report-message', body), 400, 'already_reported');
    const none = { ...body, messageId: 'no-such-message' };
    refused(await api.post('/launcher/report-message', none), 400, 'message_unknown');
    const own = { ...body, launcherJwt: grace.launcherJwt };
    refused(await api.post('/launcher/report-message', own), 400, 'report_about_self');
  });

  it('is limited to ten an hour, and says when to retry', async () => {
    const { launcherJwt } = await server.openSession(gameId);
    for (let n = 0; n <= 10; n++) {
      const { wallet } = await server.openSession(gameId);
      const answer = await api.post('/launcher/report-player', { launcherJwt, wallet, reason: 'other' });
      if (n < 10) expect(answer.status).toBe(200);
      else refused(answer, 429, 'rate_limited');
    }
  });

  itRefuses(api, '/launcher/report-message', () => ({ ...token(), messageId: 'x', reason: 'spam' }), [
    ...requiredString('messageId'),
    ...faults('reason', [missing, '', 'boring', 7], 'input_invalid'),
    ...faults('comment', ['x'.repeat(1001), 7], 'input_invalid'),
  ]);
  itRefuses(api, '/launcher/report-player', () => ({ ...token(), wallet: grace.wallet, reason: 'spam' }), [
    ...faults('wallet', [missing, '0x12', 7], 'address_invalid'),
    ...faults('reason', [missing, 'boring'], 'input_invalid'),
  ]);
});

describe('muting', () => {
  it('keeps someone from posting in a channel until it expires, and says when that is', async () => {
    const { launcherJwt } = ada;
    const muting = { launcherJwt, channelId, wallet: grace.wallet, seconds: 60, reason: 'Calm down' };
    const { body } = await api.post('/launcher/mute-participant', muting);
    expect(body).toEqual({ success: true, until: expect.any(Number) });
    const { until } = body as { until: number };
    const answer = await say(grace, 'no');
    refused(answer, 403, 'muted');
    expect(answer.body).toMatchObject({
      error: `You are muted in this channel until ${new Date(until).toISOString()}: Calm down`,
    });
    expect((await say(ada, 'yes')).status).toBe(200);
    const ended = await api.post('/launcher/mute-participant', { ...muting, seconds: 0 });
    expect(ended.body).toEqual({ success: true, until: null });
    expect((await say(grace, 'yes')).status).toBe(200);
    const again = await api.post('/launcher/mute-participant', { ...muting, seconds: 0 });
    refused(again, 400, 'player_not_muted');
  });

  it("is done by the game's server in all of the game, or in one of its channels", async () => {
    const mute = (body: object) =>
      post(`${server.url}/launcher/mute-in-game`, { wallet: grace.wallet, ...body }, authorization);
    for (const where of [{}, { channelId }]) {
      expect((await mute({ ...where, seconds: 60 })).status).toBe(200);
      refused(await say(grace, 'no'), 403, 'muted');
      await mute({ ...where, seconds: 0 });
      expect((await say(grace, 'yes')).status).toBe(200);
    }
    expect((await mute({ channelId: 'none', seconds: 60 })).body).toMatchObject({
      data: { reason: 'channel_unknown' },
    });
  });

  const good = () => ({ ...token(), channelId, wallet: grace.wallet, seconds: 60 });
  itRefuses(api, '/launcher/mute-participant', good, [
    ...faults('seconds', [missing, -1, 1.5, 31_536_001, '60'], 'input_invalid'),
    ...faults('reason', ['x'.repeat(501), 7], 'input_invalid'),
    ...faults('wallet', [missing, '0x12'], 'address_invalid'),
  ]);
});

describe('the word filter of a game', () => {
  it('masks messages that are sent or edited, and refuses names', async () => {
    await db.write(changeGame, gameId, { policies: { wordFilter: { action: 'mask', words: ['darn'] } } });
    const sent = await say(ada, 'Oh dàrn it');
    expect(sent.body).toMatchObject({ content: 'Oh **** it' });
    const { _id: messageId } = sent.body as { _id: string };
    const { launcherJwt } = ada;
    const edit = { launcherJwt, messageId, newContent: 'DARN!' };
    expect((await api.post('/launcher/edit-channel-message', edit)).body).toMatchObject({ content: '****!' });
    const name = { wallet: grace.wallet, username: 'Darn it' };
    const named = await post(`${server.url}/launcher/update-player-profile`, name, authorization);
    expect([named.status, named.body]).toMatchObject([400, { data: { reason: 'words_not_allowed' } }]);
    const channelName = { launcherJwt, channelId, name: 'darn' };
    refused(await api.post('/launcher/edit-group-info', channelName), 400, 'words_not_allowed', 'name');
  });

  it('refuses messages when the game is configured so, independently of other games', async () => {
    await db.write(changeGame, gameId, { policies: { wordFilter: { action: 'reject', words: ['darn'] } } });
    refused(await say(ada, 'Oh darn it'), 400, 'words_not_allowed', 'content');
    expect((await say(ada, 'darning')).status).toBe(200);
    const elsewhere = await server.openSession((await server.createGame()).gameId);
    const { _id } = await db.write(createChannel, elsewhere, [grace.wallet]);
    expect((await say(elsewhere, 'darn', { channelId: _id })).status).toBe(200);
  });

  it('is bounded, and is replaced as a whole', async () => {
    const update = (wordFilter: object) =>
      post(
        `${server.url}/admin/update-game`,
        { gameId, policies: { wordFilter } },
        { Authorization: `Bearer ${server.adminToken}` },
      );
    expect((await update({ words: ['a', 'b c'] })).body).toMatchObject({
      game: { policies: { wordFilter: { action: 'mask', words: ['a', 'b c'] } } },
    });
    for (const words of [['!'], [''], ['x'.repeat(61)], Array(501).fill('a')]) {
      expect((await update({ words })).status).toBe(400);
    }
    expect((await update({})).body).toMatchObject({
      game: { policies: { wordFilter: { action: 'mask', words: [] } } },
    });
  });
});

function token() {
  return { launcherJwt: ada.launcherJwt };
}
