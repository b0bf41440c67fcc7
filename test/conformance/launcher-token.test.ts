import { decodeProtectedHeader, importJWK, jwtVerify, SignJWT } from 'jose';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { setProfile } from '../../src/features/players/commands.ts';
import { endSession, startSession } from '../../src/features/sessions/commands.ts';
import { issueToken } from '../../src/features/sessions/new-session.ts';
import { apiOf } from '../support/api.ts';
import { missing } from '../support/field-faults.ts';
import { exactly, refused } from '../support/outcome.ts';
import { startTestServer } from '../support/server.ts';

const server = await startTestServer();
afterAll(server.close);
const api = apiOf(server);
const { gameId } = await server.createGame();
const ada = await server.openSession(gameId);

const publicKeys = z.object({
  keys: z
    .array(
      z.strictObject({
        kty: z.literal('OKP'),
        crv: z.literal('Ed25519'),
        kid: z.string(),
        x: z.string(),
        alg: z.literal('EdDSA'),
        use: z.literal('sig'),
      }),
    )
    .length(1),
});

/** The published key set; strict, so that a private part in it fails. */
async function publishedKey() {
  const { body } = await api.get('/.well-known/jwks.json');
  const [key] = exactly(publicKeys, body).keys;
  if (!key) throw new Error('no key is published');
  return key;
}

describe('a launcher token', () => {
  it('is an EdDSA JWT that verifies with the published key', async () => {
    const key = await publishedKey();
    const { protectedHeader } = await jwtVerify(ada.launcherJwt, await importJWK(key), {
      algorithms: ['EdDSA'],
    });
    expect(protectedHeader).toMatchObject({ alg: 'EdDSA', kid: key.kid, typ: 'JWT' });
  });

  it('carries the registered claims and those that clients decode, and nothing else', async () => {
    const wallet = `0x1234${'0f'.repeat(16)}abcd`;
    const before = Math.floor(Date.now() / 1000);
    const { launcherJwt, userId, sessionId } = await server.openSession(gameId, wallet);
    const { payload } = await jwtVerify(launcherJwt, await importJWK(await publishedKey()));
    const { iat, exp, ...claims } = payload;
    expect(claims).toEqual({
      iss: expect.any(String),
      aud: expect.any(String),
      sub: userId,
      jti: sessionId,
      id: userId,
      userId,
      gameId,
      address: wallet,
      avatar: `${server.url}/avatars/${wallet}.svg`,
    });
    expect(iat).toBeGreaterThanOrEqual(before);
    // In whole seconds, the opening is rounded down and the end up.
    expect([0, 1]).toContain(Number(exp) - Number(iat) - 24 * 60 * 60);
  });

  it('is pure ASCII for a player without a name, as clients that decode it with atob need', async () => {
    const { launcherJwt } = await server.openSession(gameId);
    const [, payload = ''] = launcherJwt.split('.');
    const decoded = atob(payload.replaceAll('-', '+').replaceAll('_', '/'));
    expect(decoded).toMatch(/^[ -~]+$/);
    expect(JSON.parse(decoded)).not.toHaveProperty('username');
  });

  it('carries the name and the picture a player chose', async () => {
    const { wallet } = await server.openSession(gameId);
    const profile = { username: 'Ada', avatar: 'https://pictures.example/ada.png' };
    await server.services.db.write(setProfile, wallet, profile);
    const { launcherJwt } = await server.openSession(gameId, wallet);
    const { payload } = await jwtVerify(launcherJwt, await importJWK(await publishedKey()));
    expect(payload).toMatchObject(profile);
  });
});

const ended = await server.openSession(gameId);
await server.services.db.write(endSession, ended.wallet, ended.sessionId);
const expired = await server.services.db.write(startSession, { gameId, wallet: ada.wallet }, -1000);
const { kid, typ } = decodeProtectedHeader(ada.launcherJwt);
const tokens = {
  missing,
  empty: '',
  'not a string': 7,
  'an object': { launcherJwt: ada.launcherJwt },
  nonsense: 'nonsense',
  'changed in its signature': `${ada.launcherJwt.slice(0, -4)}AAAA`,
  'unsigned (alg none)': `${btoa('{"alg":"none","typ":"launcher+jwt"}')}.${ada.launcherJwt.split('.')[1]}.`,
  'signed HS256 with the public key': await signedWithPublicKey(),
  'of a session that never was': await issueToken(
    { ...expired, session: { ...expired.session, id: 'never-was', expiresAt: Date.now() + 60_000 } },
    server.services,
  ),
  expired: await issueToken(expired, server.services),
  'of an ended session': ended.launcherJwt,
};

/** Every path of INTERFACE.md section 4, and of DESIGN.md, that takes a launcher token. */
const paths = [
  'set-user-score',
  'get-user-score',
  'get-user-scores',
  'set-state',
  'get-states',
  'track-game-sessions',
  'send-custom-activity',
  'send-notification',
  'trigger-rules-engine',
  'get-message-channels',
  'create-message-channel',
  'get-channel-messages',
  'send-channel-message',
  'edit-channel-message',
  'unsend-channel-message',
  'add-participant',
  'remove-participant',
  'edit-group-info',
  'channel-heartbeat',
  'open-channel-session',
  'list-channel-sessions',
  'end-channel-session',
];

describe.each([
  ['missing', 'token_missing'],
  ['empty', 'token_missing'],
  ['not a string', 'token_invalid'],
  ['an object', 'token_invalid'],
  ['nonsense', 'token_invalid'],
  ['changed in its signature', 'token_invalid'],
  ['unsigned (alg none)', 'token_invalid'],
  ['signed HS256 with the public key', 'token_invalid'],
  ['of a session that never was', 'token_invalid'],
  ['expired', 'token_expired'],
  ['of an ended session', 'session_ended'],
] as const)('a launcherJwt that is %s is answered %s', (kind, reason) => {
  // channel-status reports on ended sessions instead.
  const refusing = kind === 'of an ended session' ? paths : [...paths, 'channel-status'];
  it.each(refusing)('by /launcher/%s', async (path) => {
    refused(await api.post(`/launcher/${path}`, { launcherJwt: tokens[kind] }), 401, reason);
  });
});

/** Ada's claims under a public key, which would pass if the token chose the algorithm. */
async function signedWithPublicKey(): Promise<string> {
  const { x } = await publishedKey();
  const { payload } = await jwtVerify(ada.launcherJwt, await importJWK(await publishedKey()));
  return new SignJWT(payload)
    .setProtectedHeader({ alg: 'HS256', ...(kid && { kid }), ...(typ && { typ }) })
    .sign(Buffer.from(x, 'base64url'));
}
