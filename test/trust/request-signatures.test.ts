import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { changeGame } from '../../src/features/administration/commands.ts';
import type { PolicyChanges } from '../../src/features/games/game.ts';
import { findScore } from '../../src/features/scores/queries.ts';
import { apiOf } from '../support/api.ts';
import { connectLauncher } from '../support/launcher.ts';
import { accepted, refused } from '../support/outcome.ts';
import { hmacSigned, md5Signed, type SigningHeaders, wholeSigned } from '../support/request-signatures.ts';
import { startTestServer } from '../support/server.ts';

const server = await startTestServer({
  RATE_LIMIT_FACTOR: '1000',
  ADMIN_TOKEN: 'the-admin-token-of-this-suite',
});
afterAll(server.close);
const api = apiOf(server);
const anything = z.unknown();

async function openGame(policies: PolicyChanges = {}) {
  const game = await server.createGame({ policies });
  return { ...game, ...(await server.openSession(game.gameId)) };
}
const game = await openGame();
const other = await openGame();

const path = '/launcher/set-user-score';
const bodyOf = ({ launcherJwt }: { launcherJwt: string }, score = 7) =>
  JSON.stringify({ launcherJwt, score });
const minutesFromNow = (minutes: number) => Date.now() + minutes * 60_000;

describe('a request signed with HMAC-SHA256', () => {
  it('is accepted, by both calling styles', async () => {
    const body = bodyOf(game);
    accepted(await api.post(path, body, hmacSigned(game.gameSecret, body)), anything);
    const headers = hmacSigned(game.gameSecret, body);
    accepted(await api.dispatch('setUserScore', body, { headers }), anything);
  });

  it('signs the bytes as sent: white space, order and escapes are significant', async () => {
    const body = `{ "score" : 7,\n "nonce":"\\u00fc \u{1F3C1}", "launcherJwt": "${game.launcherJwt}" }`;
    accepted(await api.post(path, body, hmacSigned(game.gameSecret, body)), anything);
    const sameMeaning = JSON.stringify(JSON.parse(body));
    refused(await api.post(path, sameMeaning, hmacSigned(game.gameSecret, body)), 401, 'signature_invalid');
  });

  it('may have an uppercase signature', async () => {
    const body = bodyOf(game);
    const headers = hmacSigned(game.gameSecret, body);
    const signature = headers['X-Request-Signature']?.slice('sha256='.length).toUpperCase();
    const shouted = { ...headers, 'X-Request-Signature': `sha256=${signature}` };
    accepted(await api.post(path, body, shouted), anything);
  });

  it('signs an empty body when there is none: a dispatched GET', async () => {
    const headers = {
      ...hmacSigned(game.gameSecret, ''),
      'X-Service-Method': 'getUserScore',
      'X-Launcher-Jwt': game.launcherJwt,
    };
    accepted(await api.get('/launcher', headers), anything);
    refused(await api.get('/launcher', headers), 401, 'nonce_replayed');
  });

  it.each([
    ['in milliseconds, four and a half minutes ago', () => String(minutesFromNow(-4.5))],
    ['in milliseconds, four and a half minutes ahead', () => String(minutesFromNow(4.5))],
    ['in seconds, now', () => String(Math.floor(Date.now() / 1000))],
    ['in seconds, four and a half minutes ago', () => String(Math.floor(minutesFromNow(-4.5) / 1000))],
  ])('may have a timestamp %s', async (_when, timestamp) => {
    const body = bodyOf(game);
    const headers = hmacSigned(game.gameSecret, body, { timestamp: timestamp() });
    accepted(await api.post(path, body, headers), anything);
  });

  it.each([
    ['five minutes and a second ago', () => String(minutesFromNow(-5) - 1000)],
    ['five minutes and a second ahead', () => String(minutesFromNow(5) + 1000)],
    ['five minutes and two seconds ago, in seconds', () => String(Math.floor(minutesFromNow(-5) / 1000) - 2)],
    ['in 1970', () => '0'],
    ['before 1970', () => '-1'],
    ['in no number', () => 'now'],
    ['in a fraction', () => `${Date.now()}.5`],
    ['in hexadecimal', () => `0x${Date.now().toString(16)}`],
    ['in the exponent form of now', () => `${Date.now() / 1e12}e12`],
    ['with nothing', () => ''],
  ])('is refused with a timestamp %s', async (_when, timestamp) => {
    const body = bodyOf(game);
    const headers = hmacSigned(game.gameSecret, body, { timestamp: timestamp() });
    refused(await api.post(path, body, headers), 401, 'signature_invalid');
  });

  it.each<[string, (headers: SigningHeaders, body: string) => [SigningHeaders, string]]>([
    ['body', (headers, body) => [headers, body.replace('7', '8')]],
    ['length of the body', (headers, body) => [headers, `${body} `]],
    ['nonce', (headers, body) => [{ ...headers, 'X-Request-Nonce': randomUUID() }, body]],
    ['time', (headers, body) => [{ ...headers, 'X-Request-Timestamp': String(Date.now() + 1) }, body]],
    [
      'line between time and nonce',
      (headers, body) => {
        const [nonce = '', timestamp = ''] = [headers['X-Request-Nonce'], headers['X-Request-Timestamp']];
        const moved = {
          'X-Request-Timestamp': timestamp.slice(0, -1),
          'X-Request-Nonce': `${timestamp.slice(-1)}.${nonce}`,
        };
        return [{ ...headers, ...moved }, body];
      },
    ],
    [
      'line between nonce and body',
      (headers, body) => [
        { ...headers, 'X-Request-Nonce': `${headers['X-Request-Nonce']}.{` },
        body.slice(1),
      ],
    ],
  ])('is refused when its %s was modified in transit, and nothing is written', async (_what, change) => {
    const player = await server.openSession(game.gameId);
    const signed = bodyOf(player);
    const [headers, body] = change(hmacSigned(game.gameSecret, signed), signed);
    const answer = await api.post(path, body, headers);
    expect([400, 401]).toContain(answer.status);
    expect(await server.services.db.read(findScore, player)).toBeNull();
  });

  it.each<[string, (body: string) => SigningHeaders]>([
    ['the secret of another game', (body) => hmacSigned(other.gameSecret, body)],
    ['the MD5 of the secret', (body) => hmacSigned('0'.repeat(32), body)],
    ['no secret', (body) => hmacSigned('', body)],
  ])('is refused when it was made with %s', async (_what, signed) => {
    const body = bodyOf(game);
    refused(await api.post(path, body, signed(body)), 401, 'signature_invalid');
  });

  it.each<
    [string, (headers: SigningHeaders) => SigningHeaders, 'signature_invalid' | 'signature_incomplete']
  >([
    ['its time', ({ 'X-Request-Timestamp': _, ...rest }) => rest, 'signature_invalid'],
    ['its nonce', ({ 'X-Request-Nonce': _, ...rest }) => rest, 'signature_incomplete'],
    ['its signature', ({ 'X-Request-Signature': _, ...rest }) => rest, 'signature_incomplete'],
    [
      'the name of the scheme',
      (headers) => ({ ...headers, 'X-Request-Signature': headers['X-Request-Signature']?.slice(7) ?? '' }),
      'signature_invalid',
    ],
    [
      'the end of the signature',
      (headers) => ({
        ...headers,
        'X-Request-Signature': headers['X-Request-Signature']?.slice(0, -2) ?? '',
      }),
      'signature_invalid',
    ],
  ])('is refused without %s', async (_what, without, reason) => {
    const body = bodyOf(game);
    refused(await api.post(path, body, without(hmacSigned(game.gameSecret, body))), 401, reason);
  });

  it('does not use up its nonce when it is refused, and shares nonces with the other scheme', async () => {
    const nonce = randomUUID();
    const body = bodyOf(game);
    refused(await api.post(path, body, hmacSigned('guess', body, { nonce })), 401, 'signature_invalid');
    accepted(await api.post(path, body, hmacSigned(game.gameSecret, body, { nonce })), anything);
    refused(await api.post(path, body, md5Signed(game.gameSecret, nonce)), 401, 'nonce_replayed');
  });
});

describe('a request signed as a whole (v2)', () => {
  it('is accepted, by both calling styles, and by a GET with a query and a token in its header', async () => {
    const body = bodyOf(game);
    accepted(await api.post(path, body, wholeSigned(game.gameSecret, { path, body })), anything);
    const dispatched = { path: '/launcher', serviceMethod: 'setUserScore', body };
    const headers = wholeSigned(game.gameSecret, dispatched);
    accepted(await api.dispatch('setUserScore', body, { headers }), anything);
    const { launcherJwt } = game;
    const read = { method: 'GET', path: '/launcher?unused=1', serviceMethod: 'getUserScore', launcherJwt };
    const named = { 'X-Service-Method': 'getUserScore', 'X-Launcher-Jwt': launcherJwt };
    const signed = { ...wholeSigned(game.gameSecret, read), ...named };
    accepted(await api.get(read.path, signed), anything);
    refused(await api.get(read.path, signed), 401, 'nonce_replayed');
  });

  it('for one operation ends no session on the path of another, unlike the previous scheme', async () => {
    const player = await server.openSession(game.gameId);
    const body = JSON.stringify({ launcherJwt: player.launcherJwt });
    const signed = { path: '/launcher/get-user-score', body };
    const elsewhere = '/launcher/end-channel-session';
    refused(await api.post(elsewhere, body, wholeSigned(game.gameSecret, signed)), 401, 'signature_invalid');
    const dispatched = { path: '/launcher', serviceMethod: 'getUserScore', body };
    const headers = wholeSigned(game.gameSecret, dispatched);
    refused(await api.dispatch('endChannelSession', body, { headers }), 401, 'signature_invalid');
    accepted(await api.post(signed.path, body, wholeSigned(game.gameSecret, signed)), anything);
  });

  it.each<[string, Partial<Parameters<typeof wholeSigned>[1]>]>([
    ['method', { method: 'POST' }],
    ['path', { path: '/scores?game=x&n=1' }],
    ['query', { path: '/launcher?game=x&n=2' }],
    ['line between path and query', { path: '/launcher' }],
    ['X-Service-Method', { serviceMethod: 'getUserScores' }],
    ['X-Launcher-Jwt', { launcherJwt: 'another' }],
    ['body', { body: '{}' }],
  ])('is refused when its %s differs from the signed one', async (_what, other) => {
    const { launcherJwt } = game;
    const sent = { method: 'GET', path: '/launcher?game=x&n=1', serviceMethod: 'getUserScore', launcherJwt };
    const named = { 'X-Service-Method': sent.serviceMethod, 'X-Launcher-Jwt': launcherJwt };
    const headers = wholeSigned(game.gameSecret, { ...sent, ...other });
    refused(await api.get(sent.path, { ...headers, ...named }), 401, 'signature_invalid');
    accepted(await api.get(sent.path, { ...wholeSigned(game.gameSecret, sent), ...named }), anything);
  });

  it.each([
    ['an old time', { timestamp: String(Date.now() - 301_000) }],
    ['no time', { timestamp: '' }],
    ['a non-numeric time', { timestamp: 'now' }],
  ])('is refused with %s', async (_what, at) => {
    const body = bodyOf(game);
    refused(
      await api.post(path, body, wholeSigned(game.gameSecret, { path, body }, at)),
      401,
      'signature_invalid',
    );
  });

  it("is refused with another secret, without its scheme's name, and under the other's", async () => {
    const body = bodyOf(game);
    const wrong = wholeSigned(other.gameSecret, { path, body });
    refused(await api.post(path, body, wrong), 401, 'signature_invalid');
    const right = wholeSigned(game.gameSecret, { path, body });
    const hex = right['X-Request-Signature']?.slice('v2='.length) ?? '';
    for (const signature of [hex, `sha256=${hex}`, `v3=${hex}`, `v2=${hex.slice(2)}`, 'v2='])
      refused(
        await api.post(path, body, { ...right, 'X-Request-Signature': signature }),
        401,
        'signature_invalid',
      );
    accepted(await api.post(path, body, right), anything);
  });
});

describe('a game’s policy for signatures', () => {
  type Signed = (secret: string, body: string) => SigningHeaders;
  const unsigned: Signed = () => ({});
  const withMd5: Signed = (secret) => md5Signed(secret);
  const withHmac: Signed = hmacSigned;
  const asAWhole: Signed = (secret, body) => wholeSigned(secret, { path, body });

  it.each<[NonNullable<PolicyChanges['requireSignature']>, string, Signed, boolean]>([
    ['no', 'unsigned', unsigned, true],
    ['no', 'signed with MD5', withMd5, true],
    ['no', 'signed with HMAC-SHA256', withHmac, true],
    ['any', 'unsigned', unsigned, false],
    ['any', 'signed with MD5', withMd5, true],
    ['any', 'signed with HMAC-SHA256', withHmac, true],
    ['hmac-sha256', 'unsigned', unsigned, false],
    ['hmac-sha256', 'signed with MD5', withMd5, false],
    ['hmac-sha256', 'signed with HMAC-SHA256', withHmac, true],
    ['no', 'signed as a whole', asAWhole, true],
    ['any', 'signed as a whole', asAWhole, true],
    ['hmac-sha256', 'signed as a whole', asAWhole, true],
    ['v2', 'unsigned', unsigned, false],
    ['v2', 'signed with MD5', withMd5, false],
    ['v2', 'signed with HMAC-SHA256', withHmac, false],
    ['v2', 'signed as a whole', asAWhole, true],
  ])('%s: a request that is %s', async (requireSignature, _how, signed, isAccepted) => {
    const strict = await openGame({ requireSignature });
    const body = bodyOf(strict);
    const whole = { path: '/launcher', serviceMethod: 'setUserScore', body };
    const headers =
      signed === asAWhole ? wholeSigned(strict.gameSecret, whole) : signed(strict.gameSecret, body);
    const answers = [
      await api.post(path, body, signed(strict.gameSecret, body)),
      await api.dispatch('setUserScore', body, { headers }),
    ];
    for (const answer of answers) {
      if (isAccepted) accepted(answer, anything);
      else refused(answer, 401, 'signature_required');
    }
  });

  it('applies to calls without a launcherJwt too', async () => {
    const strict = await openGame({ requireSignature: 'hmac-sha256' });
    const body = JSON.stringify({ gameId: strict.gameId, wallet: strict.wallet });
    const begin = (headers: SigningHeaders) => api.post('/launcher/create-unverified-channel', body, headers);
    refused(await begin({}), 401, 'signature_required');
    refused(await begin(md5Signed(strict.gameSecret)), 401, 'signature_required');
    accepted(await begin(hmacSigned(strict.gameSecret, body)), anything);
  });

  it('refuses calls over a socket, which cannot be signed, while events are still received', async () => {
    const strict = await openGame({ requireSignature: 'any' });
    using launcher = await connectLauncher(server.url, { launcherJwt: strict.launcherJwt });
    await expect(launcher.call('setUserScore', { score: 1 })).rejects.toMatchObject({
      code: 401,
      data: { reason: 'signature_required' },
    });
    const body = bodyOf(strict);
    accepted(await api.post(path, body, hmacSigned(strict.gameSecret, body)), anything);
    expect((await launcher.waitForEvent('scores created')).record).toMatchObject({ score: 7 });
  });

  it('takes effect immediately when it is changed', async () => {
    const changing = await openGame();
    const body = bodyOf(changing);
    accepted(await api.post(path, body), anything);
    await server.services.db.write(changeGame, changing.gameId, { policies: { requireSignature: 'any' } });
    refused(await api.post(path, body), 401, 'signature_required');
  });
});
