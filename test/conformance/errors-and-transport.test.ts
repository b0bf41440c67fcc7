import { io } from 'socket.io-client';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { apiOf } from '../support/api.ts';
import type { Answer } from '../support/http.ts';
import { accepted, refused } from '../support/outcome.ts';
import { scoreRecord, succeeded } from '../support/records.ts';
import { startTestServer } from '../support/server.ts';

const server = await startTestServer();
afterAll(server.close);
const api = apiOf(server);
const { gameId } = await server.createGame();
const { launcherJwt } = await server.openSession(gameId);

const newScore = succeeded({ newScore: scoreRecord });
const anything = z.unknown();
const good = { launcherJwt, score: 5 };

const setScore = { 'X-Service-Method': 'setUserScore' };

describe('a socket call of a service that there is not', () => {
  it.each([
    ['authentication', 'send the launcherJwt as auth.launcherJwt of the handshake'],
    ['tournaments', 'the services are launcher, scores, '],
  ])('%s is answered with what to do instead', async (service, advice) => {
    const socket = io(server.url, { transports: ['websocket'], forceNew: true });
    try {
      const error = await new Promise((resolve) =>
        socket.emit('create', service, { strategy: 'jwt', accessToken: launcherJwt }, {}, resolve),
      );
      expect(error).toMatchObject({
        code: 404,
        data: { reason: 'service_unknown' },
        message: expect.stringContaining(advice),
      });
    } finally {
      socket.disconnect();
    }
  });
});

describe('method dispatch', () => {
  const leaderboard = { 'X-Service-Method': 'getGameScoresLeaderboard' };

  it.each(['/scores', '/scores/', '/launcher', '/launcher/'])('works on %s', async (path) => {
    accepted(await api.post(path, { gameId }, leaderboard), anything);
  });

  const names = [
    'setUserScores',
    'SetUserScore',
    'set-user-score',
    'set-user-score/',
    ' setUserScore2',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'valueOf',
    'find',
    'create',
    'undefined',
    '',
  ];
  it.each(names)('answers 405 to the method "%s" on /launcher', async (name) => {
    refused(await api.dispatch(name, good), 405, 'method_unknown');
    refused(await api.get('/launcher', { 'X-Service-Method': name }), 405, 'method_unknown');
  });

  it.each([...names.filter((name) => name !== 'find'), 'setUserScore', 'sendChannelMessage'])(
    'answers 405 to the method "%s" on /scores',
    async (name) => {
      refused(await api.dispatch(name, good, { service: 'scores' }), 405, 'method_unknown');
    },
  );

  it.each(['/launcher', '/launcher/', '/scores', '/scores/'])(
    'answers 405 to POST %s without X-Service-Method, naming the header it reads and listing no methods',
    async (path) => {
      for (const headers of [{}, { 'X-Service-Method': 'nonsense' }]) {
        const { message } = refused(await api.post(path, good, headers), 405, 'method_unknown');
        expect(message).toContain('X-Service-Method');
        expect(message).not.toMatch(/setUserScore|getGameScoresLeaderboard|nonsense/);
      }
    },
  );

  it('answers 405 to a method header that is sent twice', async () => {
    const answer = await api.dispatch('setUserScore, setUserScore', good);
    refused(answer, 405, 'method_unknown');
  });

  it('reads the header case-insensitively', async () => {
    accepted(await api.post('/launcher', good, { 'x-service-method': 'setUserScore' }), newScore);
  });
});

describe('GET dispatch', () => {
  const read = (method: string, query = '', headers: Record<string, string> = {}) =>
    api.get(`/launcher${query}`, { 'X-Service-Method': method, ...headers });

  it.each(['setUserScore', 'endChannelSession', 'createUnverifiedChannel', 'triggerRulesEngine'])(
    'answers 405 to %s, which is a write',
    async (method) => {
      refused(await read(method, `?launcherJwt=${launcherJwt}&score=1`), 405, 'method_unknown');
    },
  );

  it('reads the input from the query, including numbers, and treats empty values as absent', async () => {
    for (const score of [1, 2, 3])
      await api.dispatch('setUserScore', { launcherJwt, score, nonce: `g${score}` });
    const answer = await read('getUserScores', `?launcherJwt=${launcherJwt}&limit=2&skip=&nonce=`);
    expect(answer.body).toMatchObject({ success: true, scores: [{ nonce: 'g3' }, { nonce: 'g2' }] });
  });

  it('refuses an invalid query field', async () => {
    const answer = await read('getUserScores', `?launcherJwt=${launcherJwt}&limit=ten`);
    refused(answer, 400, 'paging_invalid', 'limit');
  });

  it('works on /launcher/ too', async () => {
    const headers = { 'X-Service-Method': 'getUserScore', 'X-Launcher-Jwt': launcherJwt };
    accepted(await api.get('/launcher/', headers), anything);
  });

  it('prefers the token in the query, and refuses one sent twice', async () => {
    const headers = { 'X-Launcher-Jwt': launcherJwt };
    refused(await read('getUserScore', '?launcherJwt=nonsense', headers), 401, 'token_invalid');
    const twice = `?launcherJwt=${launcherJwt}&launcherJwt=${launcherJwt}`;
    refused(await read('getUserScore', twice), 401, 'token_invalid');
  });
});

describe('a dedicated path', () => {
  it.each(['GET', 'PUT', 'PATCH', 'DELETE'])('answers 405 to %s, naming POST', async (method) => {
    const answer = await api.request('/launcher/set-user-score', { method });
    refused(answer, 405, 'method_unknown');
    expect(answer.headers.get('allow')).toBe('POST');
  });

  it.each(['PUT', 'PATCH', 'DELETE'])('and the dispatch paths answer 405 to %s', async (method) => {
    for (const path of ['/launcher', '/scores']) {
      refused(await api.request(path, { method, headers: setScore }), 405, 'method_unknown');
    }
  });

  it.each([
    '/launcher/no-such-operation',
    '/launcher/setUserScore',
    '/launcher/get-state',
    '/launcher/__proto__',
    '/launcher/constructor',
    '/launcher/set-user-score/more',
    '/launcher/%E0%A4%A',
    '/no/such/path',
    '/avatars/nobody.svg',
    '/avatars/..%2f..%2fgantry.db',
  ])('%s is 404, whatever the method', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      refused(await api.request(path, { method }), 404, 'path_unknown');
    }
  });
});

describe('CORS', () => {
  const origin = 'https://game.example';
  const needed = [
    'X-Service-Method',
    'X-Request-Nonce',
    'X-Request-Signature',
    'Authorization',
    'Content-Type',
    'X-Launcher-Jwt',
  ];

  it.each([
    ['/launcher', 'POST'],
    ['/launcher', 'GET'],
    ['/launcher/', 'POST'],
    ['/scores', 'POST'],
    ['/launcher/set-user-score', 'POST'],
    ['/activities', 'GET'],
  ])('lets a page of another origin call %s with %s and every header', async (path, method) => {
    const answer = await api.request(path, {
      method: 'OPTIONS',
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': method,
        'Access-Control-Request-Headers': needed.join(',').toLowerCase(),
      },
    });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    expect(answer.headers.get('access-control-allow-credentials')).toBe('true');
    expect(listIn(answer, 'access-control-allow-methods')).toContain(method.toLowerCase());
    expect(listIn(answer, 'access-control-allow-headers')).toEqual(
      expect.arrayContaining(needed.map((header) => header.toLowerCase())),
    );
    expect(listIn(answer, 'vary')).toContain('origin');
  });

  it('allows the headers of libraries for tracing and errors, and whatever else a page sends', async () => {
    const sent = 'baggage,sentry-trace,traceparent,tracestate,x-requested-with,x-unity-version';
    const answer = await api.request('/launcher/set-user-score', {
      method: 'OPTIONS',
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': sent,
      },
    });
    expect(answer.headers.get('access-control-allow-headers')).toBe(sent);
    expect(listIn(answer, 'vary')).toEqual(
      expect.arrayContaining(['origin', 'access-control-request-headers']),
    );
  });

  it.each([
    '/admin/list-games',
    '/ADMIN/list-games/',
    '/admin/list-games?',
    '/metrics',
    '/metrics/',
    '/console/sign-in',
    '/g/demo-game/console/sign-in',
  ])('does not let a page of another origin send an admin token to %s', async (path) => {
    const answer = await api.request(path, {
      method: 'OPTIONS',
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization',
      },
    });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  it.each([
    ['a success', () => api.post('/launcher/set-user-score', good, { Origin: origin }), 200],
    ['a refusal', () => api.post('/launcher/set-user-score', {}, { Origin: origin }), 401],
    ['an unknown path', () => api.post('/launcher/nothing', {}, { Origin: origin }), 404],
    ['a body too large', () => api.post('/scores', 'a'.repeat(2_200_000), { Origin: origin }), 413],
  ])('lets the page read %s', async (_what, call, status) => {
    const answer = await call();
    expect(answer.status).toBe(status);
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    expect(answer.headers.get('access-control-allow-credentials')).toBe('true');
  });

  function listIn(answer: Answer, header: string): string[] {
    return (answer.headers.get(header) ?? '').toLowerCase().split(/\s*,\s*/);
  }
});

describe('a failed call', () => {
  it('reveals nothing internal', async () => {
    const answers = [
      await api.post('/launcher/set-user-score', { launcherJwt, score: "1'; DROP TABLE scores" }),
      await api.post('/launcher/set-user-score', { launcherJwt: `${launcherJwt}x`, score: 1 }),
      await api.post('/launcher/set-state', { launcherJwt, label: 'l', state: '{' }),
      await api.get('/activities?walletAddress=%00'),
      await api.post('/launcher', '{', setScore),
    ];
    for (const { status, body, headers } of answers) {
      expect(status).toBeLessThan(500);
      expect(JSON.stringify(body)).not.toMatch(/\bat .*\.[jt]s|SQLITE|sqlite|node_modules|\/src\/|Zod/);
      expect(headers.get('x-powered-by')).toBeNull();
    }
  });

  it('changes nothing', async () => {
    const player = await server.openSession(gameId);
    await api.post('/launcher/set-user-score', { launcherJwt: player.launcherJwt, score: 1.5 });
    await api.post('/launcher/set-user-score', { launcherJwt: player.launcherJwt, score: 1, nonce: 7 });
    const answer = await api.dispatch('getUserScore', { launcherJwt: player.launcherJwt });
    expect(answer.body).toEqual({ success: true, score: null });
  });

  it('is not cacheable, and neither is a successful one', async () => {
    for (const body of [good, {}]) {
      const answer = await api.post('/launcher/set-user-score', body);
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
  });
});
